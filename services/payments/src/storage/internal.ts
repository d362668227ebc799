// Queries for no single tenant: verdicts of the chain, completed refunds and the expiry concern payments of many projects
// in one list, and a client secret proves its holder without a project. No other answer to a caller is made from them.
import type { TxHash } from "@pay/values";
import type { ClientBase, Pool, PoolClient } from "pg";
import type { Payment } from "../domain/payment.ts";
import { PAYMENT_COLUMNS, paymentTypes, toBytes } from "./columns.ts";

type Queryable = Pool | ClientBase;

function claimDue(name: string, statuses: string, unless = "false") {
  return {
    name: `claim-due-payments-${name}`,
    text: `select ${PAYMENT_COLUMNS} from payment_records payment
      where status in (${statuses}) and expires_at < $1 and not (${unless})
      order by expires_at limit $2 for update skip locked`,
  };
}

// One query for each part of the table, because each has its own index over the time.
const CLAIM_UNPAID = claimDue("unpaid", "'created', 'pending'");
// A payment that lost its proof waits for the verdict of chains, which comes in time where any provider answers. One whose
// transaction is in a block waits longer: the money may be there, and a provider that shows it, or a signature, may have to
// come.
const CLAIM_LOST = claimDue(
  "lost",
  "'processing'",
  `coalesce(reorged_at > $1::timestamptz - interval '1 day', false)
      or (block_number is not null or needs is not null) and expires_at > $1::timestamptz - interval '30 days'`,
);

/**
 * Payments that were not paid in time, and those whose hash was not found long after. They are locked until the end of the
 * transaction, and what another transaction has locked is left out.
 */
export async function claimDuePayments(
  tx: PoolClient,
  { expiredBefore, lostBefore, most }: { expiredBefore: Date; lostBefore: Date; most: number },
): Promise<Payment[]> {
  const queries = [
    { ...CLAIM_UNPAID, types: paymentTypes, values: [expiredBefore, most] },
    { ...CLAIM_LOST, types: paymentTypes, values: [lostBefore, most] },
  ];
  const due: Payment[] = [];
  for (const query of queries) due.push(...(await tx.query<Payment>(query)).rows);
  return due;
}

/** The name of a payment: its id is searched within its project only. */
export interface PaymentName {
  projectId: string;
  paymentId: string;
}

function toArrays(names: readonly PaymentName[]) {
  return [names.map(({ projectId }) => projectId), names.map(({ paymentId }) => paymentId)];
}

const FIND_BY_NAME = {
  name: "find-payments-by-name",
  text: `
    select ${PAYMENT_COLUMNS}
    from (select distinct * from unnest($1::text[], $2::text[])) as asked (project_id, id)
    join payment_records payment using (project_id, id)`,
};

/** For verdicts and refunds; the caller compares the mode. */
export async function findByNames(
  db: Queryable,
  names: readonly PaymentName[],
): Promise<Payment[]> {
  const { rows } = await db.query<Payment>({
    ...FIND_BY_NAME,
    types: paymentTypes,
    values: toArrays(names),
  });
  return rows;
}

const FIND_BY_ID = {
  name: "find-payments-by-id",
  text: `select ${PAYMENT_COLUMNS} from payment_records payment where id = any($1)`,
};

/** For client secrets, which name a payment by its id alone; the caller compares the secret. */
export async function findByIds(db: Queryable, ids: string[]): Promise<Payment[]> {
  const { rows } = await db.query<Payment>({ ...FIND_BY_ID, types: paymentTypes, values: [ids] });
  return rows;
}

interface SubmittedHash extends PaymentName {
  txHash: TxHash;
}

const FIND_SUBMITTED = {
  name: "find-submitted",
  text: `
    select distinct payment.id
    from unnest($1::text[], $2::text[], $3::bytea[]) as asked (project_id, id, tx_hash)
    join payment_records payment on payment.project_id = asked.project_id and payment.id = asked.id
    cross join lateral payment_steps(payment.steps) step
    where step.event = 'transaction_submitted' and coalesce(step.tx_hash, payment.tx_hash) = asked.tx_hash`,
};

/** Payments of which the hash was submitted, though their row does not say so; a list names a payment once. */
export async function findSubmitted(
  db: Queryable,
  asked: readonly SubmittedHash[],
): Promise<Set<string>> {
  if (asked.length === 0) return new Set();
  const values = [...toArrays(asked), asked.map(({ txHash }) => toBytes(txHash))];
  const { rows } = await db.query<{ id: string }>({ ...FIND_SUBMITTED, values });
  return new Set(rows.map(({ id }) => id));
}

const MINED = {
  name: "mark-mined",
  text: `
    update payment_records payment set block_number = seen.block_number
    from unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[]) as seen (project_id, id, tx_hash, block_number)
    where payment.project_id = seen.project_id and payment.id = seen.id and payment.status = 'processing'
      and payment.tx_hash = seen.tx_hash`,
};

/** Records that the transaction of a payment is in a block, which is no proof yet, so the merchant gets no event. */
export async function markMined(
  db: Queryable,
  seen: readonly (SubmittedHash & { blockNumber: bigint })[],
): Promise<void> {
  if (seen.length === 0) return;
  const blocks = seen.map(({ blockNumber }) => blockNumber);
  const values = [...toArrays(seen), seen.map(({ txHash }) => toBytes(txHash)), blocks];
  await db.query({ ...MINED, values });
}

const PAID_LATE = {
  name: "mark-paid-late",
  text: `
    update payment_records payment set steps = payment_steps_with(payment.steps,
      payment_step('paid_late', payment.status, $4::timestamptz, 'late', seen.tx_hash))
    from unnest($1::text[], $2::text[], $3::bytea[]) as seen (project_id, id, tx_hash)
    where payment.project_id = seen.project_id and payment.id = seen.id and payment.status = 'expired'
      and not exists (
        select from payment_steps(payment.steps) step
        where step.event = 'paid_late' and coalesce(step.tx_hash, payment.tx_hash) = seen.tx_hash)`,
};

/** Records a transfer that came after its payment had expired, unless the expiry has recorded it. */
export async function markPaidLate(
  db: Queryable,
  seen: readonly SubmittedHash[],
  now: Date,
): Promise<void> {
  if (seen.length === 0) return;
  const values = [...toArrays(seen), seen.map(({ txHash }) => toBytes(txHash)), now];
  await db.query({ ...PAID_LATE, values });
}
