import type { ClientBase, Pool } from "pg";

type Queryable = Pool | ClientBase;

export interface DeadLetter {
  id: string;
  /** The consumer that could not handle it, or "relay" where the bus refused it. */
  consumer: string;
  topic: string;
  event_id: string | null;
  payload: Buffer;
  error: string;
  created_at: Date;
  /** Since when the consumer is asked to handle it again. */
  replay_at: Date | null;
}

export interface NewDeadLetter {
  topic: string;
  eventId: string | null;
  payload: Uint8Array;
  error: string;
}

const INSERT = `insert into dead_letters (consumer, topic, event_id, payload, error)
  values ($1, $2, $3, $4, $5)`;

export async function insertDeadLetters(
  tx: ClientBase,
  consumer: string,
  deadLetters: readonly NewDeadLetter[],
): Promise<void> {
  for (const { topic, eventId, payload, error } of deadLetters) {
    await tx.query(INSERT, [consumer, topic, eventId, payload, error]);
  }
}

const COLUMNS = "id, consumer, topic, event_id, payload, error, created_at, replay_at";

/** The newest ones first. */
export async function listDeadLetters(db: Queryable, limit: number): Promise<DeadLetter[]> {
  const text = `select ${COLUMNS} from dead_letters order by dead_letters.id desc limit $1`;
  return (await db.query<DeadLetter>(text, [limit])).rows;
}

export async function findDeadLetter(db: Queryable, id: string): Promise<DeadLetter | undefined> {
  const text = `select ${COLUMNS} from dead_letters where id = $1`;
  return (await db.query<DeadLetter>(text, [id])).rows[0];
}

export async function requestReplay(db: Queryable, id: string): Promise<void> {
  await db.query("update dead_letters set replay_at = now() where id = $1", [id]);
}

/** Locks the oldest one of a consumer that is to be handled again. */
export async function claimReplay(
  tx: ClientBase,
  consumer: string,
): Promise<DeadLetter | undefined> {
  const text = `select ${COLUMNS} from dead_letters
    where consumer = $1 and replay_at is not null
    order by replay_at, dead_letters.id limit 1 for update skip locked`;
  return (await tx.query<DeadLetter>(text, [consumer])).rows[0];
}

export async function markReplayFailed(db: Queryable, id: string, error: string): Promise<void> {
  const text = "update dead_letters set replay_at = null, error = $2 where id = $1";
  await db.query(text, [id, error]);
}

/** False when there is none. */
export async function deleteDeadLetter(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query("delete from dead_letters where id = $1", [id]);
  return rowCount === 1;
}

export async function countDeadLetters(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>("select count(*)::int as n from dead_letters");
  return rows[0]?.n ?? 0;
}

const PURGE = `delete from dead_letters where id in (
  select id from dead_letters where created_at < now() - make_interval(days => $1) order by id limit $2)`;

/** One bounded step; returns how many were deleted. */
export async function purgeDeadLetters(
  db: Queryable,
  days: number,
  limit: number,
): Promise<number> {
  return (await db.query(PURGE, [days, limit])).rowCount ?? 0;
}
