// All SQL of the service. Sums of a payment change only under the lock of its balance row: openBalance and
// lockRefunds take it. The sums are changed by what the refund is worth, not set to what the code reckons, so that the
// database's CHECKs judge the truth. Every change writes its outbox row in the same statement.
import { bigints, constraintOf } from "@pay/database";
import { OUTBOX_COLUMNS, type OutboxRow } from "@pay/events";
import { Failure, type Tenant } from "@pay/rpc";
import type { Pool, PoolClient } from "pg";
import type { Balance } from "./domain/balance.ts";
import { type Refund, TRANSITIONS } from "./domain/refund.ts";

const COLUMNS = [
  "id",
  "project_id",
  "mode",
  "payment_id",
  "status",
  "amount",
  "base_amount",
  "decimals",
  "currency",
  "chain_id",
  "order_id",
  "payment_base_amount",
  "source_address",
  "destination_address",
  "payer_address",
  "sender_address",
  "customer_id",
  "reason",
  "failure_reason",
  "tx_hash",
  "block_number",
  "refunded_base_amount",
  "created_at",
  "completed_at",
  "version",
] as const satisfies (keyof Refund)[];

/** `$1, $2 …` from a starting number on. */
const parameters = (count: number, from: number): string =>
  Array.from({ length: count }, (_, at) => `$${from + at}`).join(", ");

const outboxValues = (event: OutboxRow) => [
  event.eventId,
  event.type,
  event.topic,
  event.key,
  event.requestId,
  event.payload,
];

// The update changes a row only where more was received since; its purpose is the lock, which every caller needs.
const OPEN_BALANCE = {
  name: "open-balance",
  text: `
    insert into refund_balances as balance
      (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
    values ($1, $2, $3, $4, $5, 0, 0, 0, false)
    on conflict (payment_id) do update set cap = greatest(balance.cap, excluded.cap)
    returning *`,
};

/** The balance of a payment under lock until the transaction ends; begins it where there is none. */
export const openBalance = async (tx: PoolClient, fresh: Balance): Promise<Balance> => {
  const { payment_id, project_id, mode, amount, cap } = fresh;
  const { rows } = await tx.query<Balance>({
    ...OPEN_BALANCE,
    types: bigints,
    values: [payment_id, project_id, mode, amount, cap],
  });
  return rows[0] as Balance;
};

const INSERT = {
  name: "insert-refund",
  text: `
    with balance as (
      update refund_balances
      set reserved = reserved + $${COLUMNS.indexOf("base_amount") + 1}::numeric, refunds = refunds + 1
      where payment_id = $${COLUMNS.indexOf("payment_id") + 1}::text
    ), opened as (
      insert into refunds (${COLUMNS.join(", ")}) values (${parameters(COLUMNS.length, 1)})
    )
    insert into outbox (${OUTBOX_COLUMNS}) values (${parameters(6, COLUMNS.length + 1)})`,
};

/** Stores a new refund and what it reserves. */
export const insertRefund = async (
  tx: PoolClient,
  refund: Refund,
  event: OutboxRow,
): Promise<void> => {
  try {
    const values = [...COLUMNS.map((column) => refund[column]), ...outboxValues(event)];
    await tx.query({ ...INSERT, values });
  } catch (error) {
    if (constraintOf(error) !== "refunds_reason_bounded") throw error;
    throw new Failure("invalid_argument", "reason must be at most 500 characters");
  }
};

const DECLARE = {
  name: "declare-balance",
  text: "update refund_balances set declared = true where payment_id = $1",
};

/** From now on nothing is refunded of this payment by hand but what has failed. */
export const markDeclared = async (tx: PoolClient, paymentId: string): Promise<void> => {
  await tx.query({ ...DECLARE, values: [paymentId] });
};

// Balances first, as in every transaction here, and in one order, so that no two wait for each other in a circle.
const LOCK_BALANCES = {
  name: "lock-balances",
  text: `
    select * from refund_balances
    where payment_id in (select payment_id from refunds where id = any($1))
    order by payment_id for update`,
};
const LOCK_REFUNDS = {
  name: "lock-refunds",
  text: "select * from refunds where id = any($1) order by id for update",
};

/** Refunds and the sums of their payments, under lock until the transaction ends. */
export const lockRefunds = async (
  tx: PoolClient,
  ids: string[],
): Promise<{ refunds: Map<string, Refund>; balances: Map<string, Balance> }> => {
  const options = { types: bigints, values: [ids] };
  const balances = await tx.query<Balance>({ ...LOCK_BALANCES, ...options });
  const refunds = await tx.query<Refund>({ ...LOCK_REFUNDS, ...options });
  return {
    refunds: new Map(refunds.rows.map((refund) => [refund.id, refund])),
    balances: new Map(balances.rows.map((balance) => [balance.payment_id, balance])),
  };
};

const MOVE = {
  name: "move-refund",
  text: `
    with moved as (
      update refunds set status = $3, failure_reason = $4, tx_hash = $5, block_number = $6,
        completed_at = $7, refunded_base_amount = $8, version = $2
      where id = $1 and version = $2 - 1
      returning payment_id, base_amount, completed_at is not null as given
    ), balance as (
      update refund_balances as balance set
        completed = completed + case when given then base_amount else 0 end,
        reserved = reserved - case when given then 0 else base_amount end
      from moved where balance.payment_id = moved.payment_id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select $9::text, $10::text, $11::text, $12::text, $13::text, $14::bytea from moved`,
};

/** Stores what became of a locked refund; its payment's sums follow. */
export const moveRefund = async (
  tx: PoolClient,
  refund: Refund,
  event: OutboxRow,
): Promise<void> => {
  const { rowCount } = await tx.query({
    ...MOVE,
    values: [
      refund.id,
      refund.version,
      refund.status,
      refund.failure_reason,
      refund.tx_hash,
      refund.block_number,
      refund.completed_at,
      refund.refunded_base_amount,
      ...outboxValues(event),
    ],
  });
  if (rowCount !== 1) throw new Error("a refund moved although it was locked");
};

const SUBMIT = {
  name: "submit-refund-transaction",
  text: `
    with submitted as (
      update refunds set tx_hash = $5
      where id = $1 and project_id = $2 and mode = $3 and status = any($4) and tx_hash is null
      returning id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select $6::text, $7::text, $8::text, $9::text, $10::text, $11::bytea from submitted`,
};

/** False when the refund has moved or has a hash meanwhile. */
export const submitTransaction = async (
  pool: Pool,
  refund: Refund,
  event: OutboxRow,
): Promise<boolean> => {
  const { id, project_id, mode, tx_hash } = refund;
  const values = [id, project_id, mode, TRANSITIONS.submit.from, tx_hash, ...outboxValues(event)];
  const { rowCount } = await pool.query({ ...SUBMIT, values });
  return rowCount === 1;
};

const FIND = {
  name: "find-refund",
  text: "select * from refunds where id = $1 and project_id = $2 and mode = $3",
};

/** A stranger's refund is as absent as an unknown one. */
export const findRefund = async (
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<Refund | undefined> => {
  const values = [id, projectId, mode];
  const { rows } = await pool.query<Refund>({ ...FIND, types: bigints, values });
  return rows[0];
};

const FIND_OF_PAYMENTS = {
  name: "find-refunds-of-payments",
  text: `
    select * from refunds where payment_id = any($3) and project_id = $1 and mode = $2
    order by created_at desc, id desc`,
};

/** Newest first. A payment has a bounded number of them. */
export const findRefundsOf = async (
  pool: Pool,
  { projectId, mode }: Tenant,
  paymentIds: string[],
): Promise<Refund[]> => {
  const values = [projectId, mode, paymentIds];
  const { rows } = await pool.query<Refund>({ ...FIND_OF_PAYMENTS, types: bigints, values });
  return rows;
};

const FIND_OVERDUE = {
  name: "find-overdue-refunds",
  text: `
    select id from refunds where status = 'created' and tx_hash is null and created_at < $1
    order by created_at limit $2`,
};

/** Refunds that nobody has paid out in time, oldest first. */
export const findOverdue = async (
  pool: Pool,
  createdBefore: Date,
  most: number,
): Promise<string[]> => {
  const values = [createdBefore, most];
  const { rows } = await pool.query<{ id: string }>({ ...FIND_OVERDUE, values });
  return rows.map(({ id }) => id);
};
