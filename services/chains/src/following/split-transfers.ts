// Which transfers of a step are written first, so that dust delays no payment. A later transfer changes nothing about
// an earlier one, nor does dust beside it: decisions are the same as if all were known at once. A transfer written
// before the cursor moves is as safe as one that was verified ahead of it.
import { toAmount } from "@pay/values";
import { isDust } from "../attribution/domain/orders.ts";
import type { RawTransfer } from "../providers/decode-logs.ts";

/** Of one wallet in one currency. */
const FIRST_MAX = 20;

/** Nothing is first where everything is. */
export function splitTransfers(transfers: readonly RawTransfer[]): {
  first: RawTransfer[];
  rest: RawTransfer[];
} {
  const first: RawTransfer[] = [];
  const rest: RawTransfer[] = [];
  const places = Map.groupBy(transfers, ({ recipient, currency }) => `${recipient} ${currency}`);
  for (const place of places.values()) {
    const largest = place.reduce((most, { value }) => (value > most ? value : most), toAmount(0n));
    let taken = 0;
    for (const transfer of place.toSorted(compareByDecision)) {
      const isFirst = taken < FIRST_MAX && !isDust(largest, transfer.value);
      if (isFirst) taken++;
      (isFirst ? first : rest).push(transfer);
    }
  }
  return rest.length === 0 ? { first: [], rest: first } : { first, rest };
}

/** In the order in which they are decided. */
function compareByDecision(a: RawTransfer, b: RawTransfer): number {
  return a.blockNumber - b.blockNumber || (a.txHash < b.txHash ? -1 : 1);
}
