// The one look-up of every request: from digests of keys to their projects' settings.
import type { Pool } from "pg";
import type { Caller, KeyMode, KeyType } from "./caller.ts";
import { byDigests } from "./digest.ts";

export interface KeyRecord {
  digest: Buffer;
  /** Of the pepper under the digest. */
  pepperVersion: number;
  caller: Caller;
}

interface KeyRow {
  digest: Buffer;
  pepper_version: number;
  id: string;
  project_id: string;
  type: KeyType;
  mode: KeyMode;
  scopes: string[];
  expires_at: Date | null;
  allowed_origins: string[];
  payment_lifetime_minutes: number;
  unsigned_claims: Caller["unsignedClaims"];
  variant: "primary" | "b" | null;
  version: string;
}

const FIND_KEYS = {
  name: "keys-find",
  text: `select k.digest, k.pepper_version, k.id, k.project_id, k.type, k.mode, k.scopes, k.expires_at,
      p.allowed_origins, p.payment_lifetime_minutes, p.unsigned_claims, p.variant,
      to_char(p.api_version, 'YYYY-MM-DD') as version
    from api_keys k join projects p on p.id = k.project_id
    where k.digest = any($1::bytea[]) and k.revoked_at is null`,
};

/** For each list of digests the key with one of them that is not revoked. */
export async function findKeys(pool: Pool, wanted: Buffer[][]): Promise<(KeyRecord | undefined)[]> {
  const { rows } = await pool.query<KeyRow>({ ...FIND_KEYS, values: [wanted.flat()] });
  return byDigests(rows, wanted).map(
    (row) =>
      row && { digest: row.digest, pepperVersion: row.pepper_version, caller: toCaller(row) },
  );
}

function toCaller(row: KeyRow): Caller {
  return {
    keyId: row.id,
    projectId: row.project_id,
    type: row.type,
    mode: row.mode,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    allowedOrigins: row.allowed_origins,
    paymentLifetimeMinutes: row.payment_lifetime_minutes,
    unsignedClaims: row.unsigned_claims,
    variant: row.variant,
    version: row.version,
  };
}
