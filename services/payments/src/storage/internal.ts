// Queries for no single tenant: verdicts of the chain, completed refunds and the expiry concern payments of many projects
// in one list, and a client secret proves its holder without a project. No other answer to a caller is made from them.
import type { TxHash } from "@pay/values";
import type { ClientBase, Pool, PoolClient } from "pg";
import { LATE } from "../domain/change.ts";
import type { Payment } from "../domain/payment.ts";
import { PAYMENT_COLUMNS, paymentTypes, toBytes } from "./columns.ts";
import { formatStep } from "./timelines.ts";

type Queryable = Pool | ClientBase;

function claimDue(name: string, statuses: string, unless = "false") {
  return {
    name: `claim-due-payments-${name}`,
    text: `select ${PAYMENT_COLUMNS} from payments payment
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
    join payments payment using (project_id, id)`,
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
  text: `select ${PAYMENT_COLUMNS} from payments payment where id = any($1)`,
};

/** For client secrets, which name a payment by its id alone; the caller compares the secret. */
export async function findByIds(db: Queryable, ids: string[]): Promise<Payment[]> {
  const { rows } = await db.query<Payment>({ ...FIND_BY_ID, types: paymentTypes, values: [ids] });
  return rows;
}

interface SubmittedHash extends PaymentName {
  txHash: TxHash;
}

const MINED = {
  name: "mark-mined",
  text: `
    update payments payment set block_number = seen.block_number
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

// A line without a hash is about the hash of the payment.
const PAID_LATE = {
  name: "mark-paid-late",
  text: `
    update payments payment
    set steps = append_payment_step(payment.steps, payment.tx_hash, payment.tx_hash, seen.step)
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as seen (project_id, id, hash, step)
    where payment.project_id = seen.project_id and payment.id = seen.id and payment.status = 'expired'
      and coalesce(payment.steps, '') !~ ('(?n)^' || left(seen.step, 1) || '[^#]*'
        || case when encode(payment.tx_hash, 'hex') = seen.hash then format('(#%s)?$', seen.hash) else '#' || seen.hash || '$' end)`,
};

/** Records a transfer that came after its payment had expired, unless the expiry has recorded it. */
export async function markPaidLate(
  db: Queryable,
  seen: readonly SubmittedHash[],
  now: Date,
): Promise<void> {
  if (seen.length === 0) return;
  const steps = seen.map(({ txHash: tx_hash }) =>
    formatStep({ event: "paid_late", status: "expired", happened_at: now, reason: LATE, tx_hash }),
  );
  const hashes = seen.map(({ txHash }) => txHash.slice("0x".length));
  await db.query({ ...PAID_LATE, values: [...toArrays(seen), hashes, steps] });
}
