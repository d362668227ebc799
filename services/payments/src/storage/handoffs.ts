// Codes of hand-offs. They belong to no tenant, because the holder of a code has no other credential.
import type { Pool } from "pg";

export interface Handoff {
  paymentId: string;
  digest: Buffer;
  expiresAt: Date;
}

const SAVE = {
  name: "save-handoff",
  text: `
    insert into handoffs (payment_id, digest, expires_at) values ($1, $2, $3)
    on conflict (payment_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
};

/** Replaces the code that the payment had. */
export async function saveHandoff(
  pool: Pool,
  { paymentId, digest, expiresAt }: Handoff,
): Promise<void> {
  await pool.query({ ...SAVE, values: [paymentId, digest, expiresAt] });
}

const TAKE = {
  name: "take-handoff",
  text: "delete from handoffs where payment_id = $1 and digest = $2 and expires_at > $3",
};

/** When several requests come with one code, one of them gets true. */
export async function takeHandoff(
  pool: Pool,
  { paymentId, digest }: Omit<Handoff, "expiresAt">,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...TAKE, values: [paymentId, digest, now] });
  return rowCount === 1;
}

const PURGE = {
  name: "purge-handoffs",
  text: `
    delete from handoffs where payment_id in (
      select payment_id from handoffs where expires_at <= $1
      order by expires_at limit $2 for update skip locked
    )`,
};

/** How many codes that were not used in time were deleted. */
export async function purgeHandoffs(pool: Pool, now: Date, most: number): Promise<number> {
  const { rowCount } = await pool.query({ ...PURGE, values: [now, most] });
  return rowCount ?? 0;
}
