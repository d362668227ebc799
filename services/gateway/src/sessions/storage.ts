// Sessions of customers and the tokens that they came from.
import { getConstraint, type Queryable } from "@pay/database";
import type { PoolClient } from "pg";
import * as sql from "../generated/sql.ts";
import type { KeyMode } from "../keys/caller.ts";
import { byDigests, listDigests } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";

export interface NewSession {
  projectId: string;
  mode: KeyMode;
  /** Digests of issuer and subject: under the current pepper, then under the older ones. */
  subjects: [Buffer, ...Buffer[]];
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

/** False when the token was used before. */
export async function insertSession(tx: PoolClient, session: NewSession): Promise<boolean> {
  const { projectId, mode, subjects, used, ...rest } = session;
  for (const subject of [...subjects].sort(Buffer.compare)) {
    await sql.lockSubject(tx, { projectId, mode, subject });
  }
  const [subject, ...older] = subjects;
  for (const olderSubject of older) {
    await sql.moveSessions(tx, { projectId, mode, subject, olderSubject });
  }
  const token = { tokenDigest: used.digest, tokenExpiresAt: used.staleAt };
  try {
    await sql.insertSession(tx, { ...rest, projectId, mode, subject, ...token });
    return true;
  } catch (error) {
    if (getConstraint(error) !== "sso_tokens_pkey") throw error;
    return false;
  }
}

/** For each list of digests the session with one of them, if its project still trusts the issuer of the session. */
export async function findSessions(
  db: Queryable,
  wanted: Buffer[][],
): Promise<(Session | undefined)[]> {
  const rows = await sql.findSessionsByDigest(db, { digests: wanted.flat() });
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

/** The batch of the purge statements. With a parameter as limit the planner would read the whole table. */
const PURGED_ROWS = 1_000;

/** Deletes one batch; true when there may be more. */
export async function purgeExpired(db: Queryable, before: Date): Promise<boolean> {
  const counts = await Promise.all([
    sql.purgeSessions(db, { before }),
    sql.purgeSsoTokens(db, { before }),
  ]);
  return counts.includes(PURGED_ROWS);
}

/** Characters of the longest subject. */
export const SUBJECT_LENGTH_MAX = 255;

/** What is kept of an issuer's subject: under the current pepper first, then under the older ones. */
export function subjectDigests(
  issuer: string,
  subject: string,
  peppers: Peppers,
): [Buffer, ...Buffer[]] {
  return listDigests(JSON.stringify([issuer, subject]), peppers);
}
