// Sessions of shoppers and the tokens they came from. A subject has five places: the sixth session takes the place of
// the oldest. One statement marks the token as used and makes the session, so there is never the one without the other;
// a token that was used before violates its primary key and undoes both.
import { constraintOf } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import type { KeyMode } from "../caller.ts";

const PLACES = 5;

export interface NewSession {
  projectId: string;
  mode: KeyMode;
  /** Digest of issuer and subject. */
  subject: Buffer;
  /** Digest of the session's token. */
  digest: Buffer;
  wallet: string | null;
  ssoVersion: number;
  createdAt: Date;
  expiresAt: Date;
  used: { digest: Buffer; staleAt: Date };
}

export interface Session {
  digest: Buffer;
  projectId: string;
  mode: KeyMode;
  wallet: string | null;
  expiresAt: Date;
}

// Two exchanges of one subject would choose the same place; the second waits for the first one's end.
const TAKE_TURN = {
  name: "sessions-turn",
  text: "select pg_advisory_xact_lock(hashtextextended('session ' || $1::text || $2::text || encode($3::bytea, 'hex'), 0))",
};

const INSERT = {
  name: "sessions-insert",
  text: `with living as (
      select place, created_at from sessions
      where project_id = $1 and mode = $2 and subject = $3 and sso_version = $6 and expires_at > $7
    ), chosen as (
      select place from generate_series(1, ${PLACES}) as place left join living using (place)
      order by created_at nulls first, place limit 1
    ), made as (
      insert into sessions (project_id, mode, subject, place, digest, wallet_address, sso_version,
        created_at, expires_at)
      select $1, $2, $3, place, $4::bytea, $5::text, $6, $7, $8::timestamptz from chosen
      on conflict (project_id, mode, subject, place) do update set
        digest = excluded.digest, wallet_address = excluded.wallet_address,
        sso_version = excluded.sso_version, created_at = excluded.created_at,
        expires_at = excluded.expires_at
    )
    insert into sso_tokens (project_id, digest, expires_at) values ($1, $9, $10)`,
};

/** False when the token was used before. */
export const insertSession = async (tx: PoolClient, session: NewSession): Promise<boolean> => {
  const { projectId, mode, subject, digest, wallet, ssoVersion, createdAt, expiresAt, used } =
    session;
  await tx.query({ ...TAKE_TURN, values: [projectId, mode, subject] });
  try {
    await tx.query({
      ...INSERT,
      values: [
        ...[projectId, mode, subject, digest, wallet, ssoVersion, createdAt, expiresAt],
        ...[used.digest, used.staleAt],
      ],
    });
    return true;
  } catch (error) {
    if (constraintOf(error) !== "sso_tokens_pkey") throw error;
    return false;
  }
};

const FIND = {
  name: "sessions-find",
  text: `select s.digest, s.project_id, s.mode, s.wallet_address, s.expires_at
    from sessions s join projects p on p.id = s.project_id and p.sso_version = s.sso_version
    where s.digest = any($1::bytea[])`,
};

interface SessionRow {
  digest: Buffer;
  project_id: string;
  mode: KeyMode;
  wallet_address: string | null;
  expires_at: Date;
}

/** The sessions of these digests, in their order, as far as their projects still trust where they came from. */
export const findSessions = async (
  pool: Pool,
  digests: Buffer[],
): Promise<(Session | undefined)[]> => {
  const { rows } = await pool.query<SessionRow>({ ...FIND, values: [digests] });
  const byDigest = new Map(rows.map((row) => [row.digest.toString("latin1"), row]));
  return digests.map((digest) => {
    const row = byDigest.get(digest.toString("latin1"));
    return (
      row && {
        digest: row.digest,
        projectId: row.project_id,
        mode: row.mode,
        wallet: row.wallet_address,
        expiresAt: row.expires_at,
      }
    );
  });
};

const PURGES = [
  `delete from sessions where (project_id, mode, subject, place) in (
    select project_id, mode, subject, place from sessions where expires_at < $1
    order by expires_at limit $2 for update skip locked)`,
  `delete from sso_tokens where (project_id, digest) in (
    select project_id, digest from sso_tokens where expires_at < $1
    order by expires_at limit $2 for update skip locked)`,
];

/** One bounded round of forgetting; true when there may be more. */
export const purgeExpired = async (pool: Pool, before: Date, rowsMax: number): Promise<boolean> => {
  const rounds = await Promise.all(PURGES.map((text) => pool.query(text, [before, rowsMax])));
  return rounds.some(({ rowCount }) => rowCount === rowsMax);
};
