// All SQL of the service. A change of state is one statement: the guard (the version the change was decided on),
// the row, the idempotency key and the outbox row together, for a whole list of payments at once.
import { bigints, type IdempotentRequest, keyTurn } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Payment } from "./domain/payment.ts";

export interface Insert {
  payment: Payment;
  event: OutboxRow;
  key: IdempotentRequest | undefined;
}

/** A connection of its own, or the transaction the caller is in. */
type Queryable = Pool | ClientBase;

const COLUMNS = {
  id: "text",
  project_id: "text",
  mode: "smallint",
  variant: "smallint",
  status: "text",
  amount: "text",
  base_amount: "numeric",
  decimals: "smallint",
  currency: "text",
  chain_id: "bigint",
  recipient_address: "text",
  description: "text",
  metadata_json: "text",
  qr_mode: "boolean",
  order_id: "text",
  customer_id: "text",
  secret_version: "smallint",
  expires_at: "timestamptz",
  created_at: "timestamptz",
} as const satisfies Partial<Record<keyof Payment, string>>;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** `$1::text[], $2::text[] …` from a starting number on. */
const parameters = (sqlTypes: readonly string[], from: number): string =>
  sqlTypes.map((type, at) => `$${from + at}::${type}[]`).join(", ");

// A key whose turn is another statement's is passed over, not waited for: the other items of the list must not wait.
const CREATE = {
  name: "create-payments",
  text: `
    with input as (
      select * from unnest(
        ${parameters(Object.values(COLUMNS), 1)},
        ${parameters(["text", "text", "bytea", ...OUTBOX_TYPES], NAMES.length + 1)}
      ) as input (${NAMES.join(", ")}, idem_scope, idem_key, idem_fingerprint,
        event_id, event_type, topic, event_key, request_id, payload)
    ), turns as materialized (
      select * from input where idem_key is not null and ${keyTurn("idem_scope", "idem_key")}
    ), keys as (
      insert into idempotency (scope, key, fingerprint, response)
      select idem_scope, idem_key, idem_fingerprint, convert_to(id, 'UTF8')
      from turns order by idem_scope, idem_key
      on conflict do nothing returning scope, key
    ), fresh as (
      select * from input where idem_key is null
        or (idem_scope, idem_key) in (select scope, key from keys)
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select event_id, event_type, topic, event_key, request_id, payload from fresh
    )
    insert into payments (${NAMES.join(", ")}) select ${NAMES.join(", ")} from fresh returning id`,
};

/** Stores what may go in and says which ids did; the others found their key used, or being used. */
export const insertPayments = async (db: Queryable, inserts: Insert[]): Promise<Set<string>> => {
  const { rows } = await db.query<{ id: string }>({
    ...CREATE,
    values: [
      ...NAMES.map((name) => inserts.map(({ payment }) => plain(payment[name]))),
      inserts.map(({ key }) => key?.scope ?? null),
      inserts.map(({ key }) => key?.key ?? null),
      inserts.map(({ key }) => (key === undefined ? null : Buffer.from(key.fingerprint))),
      ...outboxArrays(inserts.map(({ event }) => event)),
    ],
  });
  return new Set(rows.map(({ id }) => id));
};

// pg writes arrays as text; a bigint inside one needs its digits.
const plain = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

const FIND_KEYS = {
  name: "find-payments-by-key",
  text: `
    select asked.ord::int as ord, stored.fingerprint as idem_fingerprint, payments.*
    from unnest($1::text[], $2::text[]) with ordinality as asked (scope, key, ord)
    join idempotency stored using (scope, key)
    join payments on payments.id = convert_from(stored.response, 'UTF8')`,
};

/** The payments that were created under these keys, in the order asked. */
export const findByKeys = async (
  db: Queryable,
  keys: IdempotentRequest[],
): Promise<({ payment: Payment; fingerprint: Uint8Array } | undefined)[]> => {
  const { rows } = await db.query<Payment & { ord: number; idem_fingerprint: Buffer }>({
    ...FIND_KEYS,
    types: bigints,
    values: [keys.map(({ scope }) => scope), keys.map(({ key }) => key)],
  });
  const found = new Map(rows.map((row) => [row.ord, row]));
  return keys.map((_, index) => {
    const row = found.get(index + 1);
    return row === undefined ? undefined : { payment: row, fingerprint: row.idem_fingerprint };
  });
};

const FIND = {
  name: "find-payments",
  text: `
    select payments.* from unnest($1::text[], $2::smallint[], $3::text[]) as asked (project_id, mode, id)
    join payments on payments.id = asked.id
      and payments.project_id = asked.project_id and payments.mode = asked.mode`,
};

/** Payments by tenant and id, in the order asked; a stranger's payment is as absent as an unknown one. */
export const findPayments = async (
  db: Queryable,
  asked: { tenant: Tenant; id: string }[],
): Promise<(Payment | undefined)[]> => {
  const { rows } = await db.query<Payment>({
    ...FIND,
    types: bigints,
    values: [
      asked.map(({ tenant }) => tenant.projectId),
      asked.map(({ tenant }) => tenant.mode),
      asked.map(({ id }) => id),
    ],
  });
  const found = new Map(rows.map((row) => [`${row.project_id} ${row.mode} ${row.id}`, row]));
  return asked.map(({ tenant, id }) => found.get(`${tenant.projectId} ${tenant.mode} ${id}`));
};

const MOVED = {
  status: "text",
  tx_hash: "text",
  block_number: "bigint",
  payer_address: "text",
  sender_address: "text",
  received_base_amount: "numeric",
  failure_code: "text",
  attempts: "smallint",
  confirmed_at: "timestamptz",
  refunded_at: "timestamptz",
  refund_declared: "boolean",
  version: "integer",
} as const satisfies Partial<Record<keyof Payment, string>>;
const MOVED_NAMES = Object.keys(MOVED) as (keyof typeof MOVED)[];

const MOVE = {
  name: "move-payments",
  text: `
    with input as (
      select * from unnest($1::text[], ${parameters(Object.values(MOVED), 2)},
        ${parameters(["text", "text", "bytea", ...OUTBOX_TYPES], MOVED_NAMES.length + 2)}
      ) as input (id, ${MOVED_NAMES.join(", ")}, idem_scope, idem_key, idem_fingerprint,
        event_id, event_type, topic, event_key, request_id, payload)
    ), moved as (
      update payments set ${MOVED_NAMES.map((name) => `${name} = input.${name}`).join(", ")}
      from input where payments.id = input.id and payments.version = input.version - 1
      returning payments.id
    ), won as (
      select * from input where id in (select id from moved)
    ), keys as (
      insert into idempotency (scope, key, fingerprint, response)
      select idem_scope, idem_key, idem_fingerprint, convert_to(id, 'UTF8')
      from won where idem_key is not null
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select event_id, event_type, topic, event_key, request_id, payload from won
    )
    select id from moved`,
};

/**
 * Makes the moves whose payment is still at the version they were decided on, and says which ids those were.
 * A list may hold a payment only once.
 */
export const movePayments = async (
  db: Queryable,
  moves: { payment: Payment; event: OutboxRow; key?: IdempotentRequest | undefined }[],
): Promise<Set<string>> => {
  if (moves.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>({
    ...MOVE,
    values: [
      moves.map(({ payment }) => payment.id),
      ...MOVED_NAMES.map((name) => moves.map(({ payment }) => plain(payment[name]))),
      moves.map(({ key }) => key?.scope ?? null),
      moves.map(({ key }) => key?.key ?? null),
      moves.map(({ key }) => (key === undefined ? null : Buffer.from(key.fingerprint))),
      ...outboxArrays(moves.map(({ event }) => event)),
    ],
  });
  return new Set(rows.map(({ id }) => id));
};

const FIND_DUE = {
  name: "find-due-payments",
  text: `
    (select * from payments where status in ('created', 'pending') and expires_at < $1
      order by expires_at limit $3)
    union all
    (select * from payments where status = 'processing' and expires_at < $2
      order by expires_at limit $3)`,
};

/** Payments nobody paid in time, and those whose hash was not found long after. */
export const findDue = async (
  db: Queryable,
  expiredBefore: Date,
  lostBefore: Date,
  most: number,
): Promise<Payment[]> => {
  const { rows } = await db.query<Payment>({
    ...FIND_DUE,
    types: bigints,
    values: [expiredBefore, lostBefore, most],
  });
  return rows;
};

const FIND_BY_ID = {
  name: "find-payments-by-id",
  text: "select * from payments where id = any($1)",
};

/** For facts from inside that name a payment without its tenant. */
export const findByIds = async (db: Queryable, ids: string[]): Promise<Payment[]> => {
  const { rows } = await db.query<Payment>({ ...FIND_BY_ID, types: bigints, values: [ids] });
  return rows;
};

const FIND_RIVALS = {
  name: "find-rivals",
  text: `
    select asked.ord::int as ord
    from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as asked (chain_id, tx_hash, id, ord)
    where exists (select from payments where payments.chain_id = asked.chain_id
      and payments.tx_hash = asked.tx_hash and payments.id <> asked.id)`,
};

/** Which of these (by position) name a hash that another payment names too. */
export const findRivals = async (
  db: Queryable,
  asked: { chainId: bigint; txHash: string; id: string }[],
): Promise<Set<number>> => {
  const { rows } = await db.query<{ ord: number }>({
    ...FIND_RIVALS,
    values: [
      asked.map(({ chainId }) => chainId.toString()),
      asked.map(({ txHash }) => txHash),
      asked.map(({ id }) => id),
    ],
  });
  return new Set(rows.map(({ ord }) => ord - 1));
};
