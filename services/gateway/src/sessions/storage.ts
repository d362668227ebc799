// Sessions of shoppers and the tokens they came from. A subject has five slots: the sixth session takes the slot of
// the oldest. One statement marks the token as used and makes the session, so that neither happens without the other;
// a token that was used before violates its primary key and undoes both.
import { getConstraint } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import type { KeyMode } from "../keys/caller.ts";
import { byDigests } from "../keys/digest.ts";

const SLOTS = 5;

export interface NewSession {
  projectId: string;
  mode: KeyMode;
  /** Digests of issuer and subject: under the current pepper, then under the older ones. */
  subjects: Buffer[];
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

// Two exchanges of one subject would choose the same slot; the second waits for the first one's end.
const TAKE_TURN = {
  name: "sessions-turn",
  text: "select pg_advisory_xact_lock(hashtextextended('session ' || $1::text || $2::text || encode($3::bytea, 'hex'), 0))",
};

const INSERT = {
  name: "sessions-insert",
  text: `with living as (
      select slot, created_at from sessions
      where project_id = $1 and mode = $2 and subject = $3 and sso_version = $6 and expires_at > $7
    ), chosen as (
      select slot from generate_series(1, ${SLOTS}) as slot left join living using (slot)
      order by created_at nulls first, slot limit 1
    ), made as (
      insert into sessions (project_id, mode, subject, slot, digest, wallet_address, sso_version,
        created_at, expires_at)
      select $1, $2, $3, slot, $4::bytea, $5::text, $6, $7, $8::timestamptz from chosen
      on conflict (project_id, mode, subject, slot) do update set
        digest = excluded.digest, wallet_address = excluded.wallet_address,
        sso_version = excluded.sso_version, created_at = excluded.created_at,
        expires_at = excluded.expires_at
    )
    insert into sso_tokens (project_id, digest, expires_at) values ($1, $9, $10)`,
};

// Sessions under an older pepper take their places among those under the current one, or a subject could have five of
// each. A slot that is taken already stays with the older one.
const GATHER = `update sessions set subject = $3
  where project_id = $1 and mode = $2 and subject = $4 and slot not in (
    select slot from sessions where project_id = $1 and mode = $2 and subject = $3)`;

/** False when the token was used before. */
export async function insertSession(tx: PoolClient, session: NewSession): Promise<boolean> {
  const { projectId, mode, subjects, digest, wallet, ssoVersion, createdAt, expiresAt, used } =
    session;
  for (const one of [...subjects].sort(Buffer.compare)) {
    await tx.query({ ...TAKE_TURN, values: [projectId, mode, one] });
  }
  const [subject, ...older] = subjects;
  for (const one of older) await tx.query(GATHER, [projectId, mode, subject, one]);
  try {
    await tx.query({
      ...INSERT,
      values: [
        projectId,
        mode,
        subject,
        digest,
        wallet,
        ssoVersion,
        createdAt,
        expiresAt,
        used.digest,
        used.staleAt,
      ],
    });
    return true;
  } catch (error) {
    if (getConstraint(error) !== "sso_tokens_pkey") throw error;
    return false;
  }
}

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

/** For each list of digests the session with one of them, if its project still trusts the issuer of the session. */
export async function findSessions(
  pool: Pool,
  wanted: Buffer[][],
): Promise<(Session | undefined)[]> {
  const { rows } = await pool.query<SessionRow>({ ...FIND, values: [wanted.flat()] });
  return byDigests(rows, wanted).map(
    (row) =>
      row && {
        digest: row.digest,
        projectId: row.project_id,
        mode: row.mode,
        wallet: row.wallet_address,
        expiresAt: row.expires_at,
      },
  );
}

const REMOVE = `with removed as (
    delete from sessions s using projects p
    where p.id = s.project_id and s.project_id = $1 and s.mode = $2 and s.subject = any($3::bytea[])
    returning s.expires_at > $4 and s.sso_version = p.sso_version as living
  )
  select count(*) filter (where living)::int as living from removed`;

/** How many of the removed sessions were active. */
export async function removeSessions(
  tx: PoolClient,
  { projectId, mode, subjects }: Pick<NewSession, "projectId" | "mode" | "subjects">,
  now: Date,
): Promise<number> {
  const { rows } = await tx.query<{ living: number }>(REMOVE, [projectId, mode, subjects, now]);
  return rows[0]?.living ?? 0;
}

const PURGES = [
  `delete from sessions where (project_id, mode, subject, slot) in (
    select project_id, mode, subject, slot from sessions where expires_at < $1
    order by expires_at limit $2 for update skip locked)`,
  `delete from sso_tokens where (project_id, digest) in (
    select project_id, digest from sso_tokens where expires_at < $1
    order by expires_at limit $2 for update skip locked)`,
];

/** Deletes one bounded batch; true when there may be more. */
export async function purgeExpired(pool: Pool, before: Date, rowsMax: number): Promise<boolean> {
  const rounds = await Promise.all(PURGES.map((text) => pool.query(text, [before, rowsMax])));
  return rounds.some(({ rowCount }) => rowCount === rowsMax);
}
