// Payments of a tenant. A change of state is one statement: the guard (the version the change was decided on), the row,
// the idempotency key and the outbox row together, for a whole list of payments at once.
import { arrayParameters } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import { type IdempotentRequest, keyTurn } from "@pay/idempotency";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Payment } from "../domain/payment.ts";
import type { NewStep } from "../domain/timeline.ts";
import {
  CREATED_NAMES,
  CREATED_TYPES,
  createdArrays,
  MOVED_NAMES,
  MOVED_TYPES,
  movedArrays,
  PAYMENT_COLUMNS,
  paymentTypes,
  toBytes,
} from "./columns.ts";
import { formatStep } from "./timelines.ts";

export interface Insert {
  payment: Payment;
  event: OutboxRow;
  key: IdempotentRequest | undefined;
}

/** The pool, or the caller's transaction. */
type Queryable = Pool | ClientBase;

// The statement skips a key that another statement works under, because the other items of the list must not wait.
const CREATE = {
  name: "create-payments",
  text: `
    with input as (
      select * from unnest(
        ${arrayParameters(CREATED_TYPES, 1)},
        ${arrayParameters(["text", "text", "bytea", ...OUTBOX_TYPES], CREATED_NAMES.length + 1)}
      ) as input (${CREATED_NAMES.join(", ")}, idem_scope, idem_key, idem_fingerprint,
        event_id, event_type, topic, event_key, request_id, payload)
    ), turns as materialized (
      select * from input where idem_key is not null and ${keyTurn("idem_scope", "idem_key")}
    ), unused as materialized (
      select unused.* from (
        select array_agg(idem_scope) as scopes, array_agg(idem_key) as keys from turns
      ) mine, unused_keys(scopes, keys) unused
    ), keys as (
      insert into idempotency_keys (scope, key, fingerprint, response)
      select idem_scope, idem_key, idem_fingerprint, convert_to(id, 'UTF8')
      from turns join unused on unused.scope = idem_scope and unused.key = idem_key
      order by idem_scope, idem_key
      on conflict do nothing returning scope, key
    ), fresh as (
      select * from input where idem_key is null
        or (idem_scope, idem_key) in (select scope, key from keys)
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select event_id, event_type, topic, event_key, request_id, payload from fresh
    )
    insert into payments (${CREATED_NAMES.join(", ")}) select ${CREATED_NAMES.join(", ")} from fresh returning id`,
};

/** Stores new payments and returns the stored ids; the key of each other payment was used, or is in use. */
export async function insertPayments(
  db: Queryable,
  inserts: readonly Insert[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    ...CREATE,
    values: [
      ...createdArrays(inserts.map(({ payment }) => payment)),
      inserts.map(({ key }) => key?.scope ?? null),
      inserts.map(({ key }) => key?.key ?? null),
      inserts.map(({ key }) => (key === undefined ? null : Buffer.from(key.fingerprint))),
      ...outboxArrays(inserts.map(({ event }) => event)),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

// The limit makes the planner look up each key in the indexes; a join would read the whole tables.
// convert_from returns text of collation "C", for which the index on id cannot be used.
const FIND_KEYS = {
  name: "find-payments-by-key",
  text: `
    select asked.ord::int as ord, encode(stored.fingerprint, 'base64') as idem_fingerprint, ${PAYMENT_COLUMNS}
    from unnest($1::text[], $2::text[]) with ordinality as asked (scope, key, ord)
    cross join lateral (
      select fingerprint, response from idempotency_keys used
      where used.scope = asked.scope and used.key = asked.key and used.period <= current_timestamp limit 1
    ) stored
    join payments payment on payment.project_id = split_part(asked.scope, ':', 1)
      and payment.id = convert_from(stored.response, 'UTF8') collate "default"`,
};

/** The payments that were created under these keys, in the order of the request. */
export async function findByKeys(
  db: Queryable,
  keys: IdempotentRequest[],
): Promise<({ payment: Payment; fingerprint: Uint8Array } | undefined)[]> {
  const { rows } = await db.query<Payment & { ord: number; idem_fingerprint: string }>({
    ...FIND_KEYS,
    types: paymentTypes,
    values: [keys.map(({ scope }) => scope), keys.map(({ key }) => key)],
  });
  const found = new Map(rows.map((row) => [row.ord, row]));
  return keys.map((_, index) => {
    const row = found.get(index + 1);
    if (row === undefined) return undefined;
    return { payment: row, fingerprint: Buffer.from(row.idem_fingerprint, "base64") };
  });
}

const FIND = {
  name: "find-payments",
  text: `
    select ${PAYMENT_COLUMNS}
    from unnest($1::text[], $2::smallint[], $3::text[]) as asked (project_id, mode, id)
    join payments payment on payment.id = asked.id
      and payment.project_id = asked.project_id and payment.mode = asked.mode`,
};

/** Payments by tenant and id, in the order of the request; another project's payment is absent like an unknown one. */
export async function findPayments(
  db: Queryable,
  asked: { tenant: Tenant; id: string }[],
): Promise<(Payment | undefined)[]> {
  const { rows } = await db.query<Payment>({
    ...FIND,
    types: paymentTypes,
    values: [
      asked.map(({ tenant }) => tenant.projectId),
      asked.map(({ tenant }) => tenant.mode),
      asked.map(({ id }) => id),
    ],
  });
  const found = new Map(rows.map((row) => [`${row.project_id} ${row.mode} ${row.id}`, row]));
  return asked.map(({ tenant, id }) => found.get(`${tenant.projectId} ${tenant.mode} ${id}`));
}

const MOVE = {
  name: "move-payments",
  text: `
    with input as (
      select * from unnest($1::text[], $2::text[], ${arrayParameters(MOVED_TYPES, 3)},
        ${arrayParameters(["text", ...OUTBOX_TYPES], MOVED_NAMES.length + 3)}
      ) as input (project_id, id, ${MOVED_NAMES.join(", ")}, step,
        event_id, event_type, topic, event_key, request_id, payload)
    ), moved as (
      update payments payment
      set ${MOVED_NAMES.map((name) => `${name} = input.${name}`).join(", ")},
        steps = append_payment_step(payment.steps, payment.tx_hash, input.tx_hash, input.step)
      from input where payment.project_id = input.project_id and payment.id = input.id
        and payment.version = input.version - 1
      returning payment.id
    ), won as (
      select * from input where id in (select id from moved)
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select event_id, event_type, topic, event_key, request_id, payload from won
    )
    select id from moved`,
};

/**
 * Makes the moves whose payment is still at the version they were decided on, and returns their ids.
 * A list may hold a payment only once.
 */
export async function movePayments(
  db: Queryable,
  moves: readonly { payment: Payment; step: NewStep | undefined; event: OutboxRow }[],
): Promise<Set<string>> {
  if (moves.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>({
    ...MOVE,
    values: [
      moves.map(({ payment }) => payment.project_id),
      moves.map(({ payment }) => payment.id),
      ...movedArrays(moves.map(({ payment }) => payment)),
      moves.map(({ step }) => step && formatStep(step)),
      ...outboxArrays(moves.map(({ event }) => event)),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

const FIND_RIVALS = {
  name: "find-rivals",
  text: `
    select asked.ord::int as ord
    from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::smallint[])
      with ordinality as asked (chain_id, tx_hash, id, project_id, mode, ord)
    cross join lateral (
      select from payments payment
      where payment_key(payment.project_id, payment.mode, encode(payment.tx_hash, 'hex'))
          = payment_key(asked.project_id, asked.mode, encode(asked.tx_hash, 'hex'))
        and payment.chain_id = asked.chain_id and payment.tx_hash = asked.tx_hash and payment.id <> asked.id
        and payment.project_id = asked.project_id and payment.mode = asked.mode
      limit 1
    ) rival`,
};

/** Which of these (by position) name a hash that another payment of the same merchant names too. */
export async function findRivals(
  db: Queryable,
  asked: { tenant: Tenant; chainId: bigint; txHash: string; id: string }[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ ord: number }>({
    ...FIND_RIVALS,
    values: [
      asked.map(({ chainId }) => chainId.toString()),
      asked.map(({ txHash }) => toBytes(txHash)),
      asked.map(({ id }) => id),
      asked.map(({ tenant }) => tenant.projectId),
      asked.map(({ tenant }) => tenant.mode),
    ],
  });
  return new Set(rows.map(({ ord }) => ord - 1));
}
