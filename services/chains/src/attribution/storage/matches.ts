// The open payments that transfers may pay: one statement for all transfers of a step.
import type { Address, Amount, ChainId, Currency } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Transfer } from "../../providers/domain/transfer.ts";
import { chosenBy } from "../domain/matching.ts";
import type { Watch } from "../domain/watch.ts";
import { toWatch } from "./watches.ts";

export interface ArrivedTransfer extends Pick<Transfer, "txHash" | "kind" | "ordinal"> {
  currency: Currency;
  sender: Address;
  recipient: Address;
  value: Amount;
  blockTime: Date;
}

export interface Match<T extends ArrivedTransfer> {
  watch: Watch;
  transfer: T;
}

export async function findMatches<T extends ArrivedTransfer>(
  pool: Pool,
  chainId: ChainId,
  transfers: readonly T[],
): Promise<Match<T>[]> {
  if (transfers.length === 0) return [];
  const rows = await sql.findMatchingWatches(pool, {
    chainId,
    transfers: transfers.map((one, n) => ({
      n,
      tx_hash: one.txHash,
      kind: one.kind,
      ordinal: one.ordinal,
      currency: one.currency,
      sender: one.sender,
      recipient: one.recipient,
      value: one.value,
      block_time: one.blockTime,
    })),
  });
  const choices = new Map<string, { n: number; bound: Watch[]; exact: Watch[]; open: Watch[] }>();
  for (const row of rows) {
    const key = `${row.n} ${row.project_id} ${row.mode}`;
    const known = choices.get(key) ?? { n: row.n, bound: [], exact: [], open: [] };
    const list = row.is_own ? known.bound : row.is_exact ? known.exact : known.open;
    list.push(toWatch(row));
    choices.set(key, known);
  }
  return [...choices.values()].flatMap(({ n, ...kinds }) => {
    const transfer = transfers[n];
    if (transfer === undefined) return [];
    const signed = kinds.bound.filter(({ payerSignedAt }) => payerSignedAt !== undefined);
    const chosen = chosenBy<Watch>(
      { ...kinds, signed },
      ({ baseAmount }) => baseAmount === transfer.value,
    );
    return chosen.map((watch) => ({ watch, transfer }));
  });
}
