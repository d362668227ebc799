import { Failure } from "@pay/failures";
import type { FindOpenPaymentsRequest, Position, UnpaidPayment } from "@pay/proto";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import {
  type FindOpenPaymentsRow,
  findOpenPayments as findRows,
  readHorizon,
} from "../generated/sql.ts";
import { toUnpaid } from "../messages.ts";

const WALLETS_MAX = 1_000;
const PAYMENTS_MAX = 2_000;

/**
 * Chains decides with these whose an unnamed transfer is, so none may be missing: a wallet is answered from its
 * position on, however many payments are open there. After its end it goes on at the oldest transaction that was open
 * before its first answer, because transactions commit out of order.
 */
export async function findOpenPayments(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { wallets }: FindOpenPaymentsRequest,
): Promise<{ payments: UnpaidPayment[]; positions: Place[]; hasMore: boolean }> {
  if (wallets.length > WALLETS_MAX)
    throw new Failure("field_invalid", `wallets must be at most ${WALLETS_MAX}`);
  const [read] = await readHorizon(db.pool);
  const places = wallets.map(({ since }) => begin(since, read?.horizon ?? 0n));
  const found = await findRows(db.pool, {
    wallets: wallets.map(({ projectId, mode, chainId, recipientAddress }, n) => ({
      n,
      project_id: projectId,
      mode,
      chain_id: chainId,
      recipient_address: toAddress(recipientAddress),
      xid: places[n]?.transaction ?? 0n,
      payment_id: places[n]?.paymentId ?? "",
    })),
    now: clock.now(),
    limit: PAYMENTS_MAX + 1,
  });
  const rows = found.slice(0, PAYMENTS_MAX);
  const last = found.length > rows.length ? rows.at(-1) : undefined;
  return {
    payments: rows.map(toUnpaid),
    positions: places.map((place, n) => goOn(place, n, last)),
    hasMore: last !== undefined,
  };
}

interface Place {
  transaction: bigint;
  paymentId: string;
  horizon: bigint;
}

/** A position from another server's count starts anew. */
function begin(since: Position | undefined, horizon: bigint): Place {
  if (since === undefined) return { transaction: 0n, paymentId: "", horizon };
  if (since.paymentId !== "") return since;
  const { transaction, paymentId } = since;
  return { transaction: transaction > horizon ? 0n : transaction, paymentId, horizon };
}

/** `last` is the last row of an answer that was cut; the rows are in the order of the wallets. */
function goOn(place: Place, n: number, last: FindOpenPaymentsRow | undefined): Place {
  if (last === undefined || n < last.n)
    return { transaction: place.horizon, paymentId: "", horizon: place.horizon };
  if (n > last.n) return place;
  return { transaction: last.changed_xid, paymentId: last.id, horizon: place.horizon };
}
