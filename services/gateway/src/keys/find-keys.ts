// The one look-up of every request: from digests of keys to their projects' settings.
import type { Queryable } from "@pay/database";
import { parseRange } from "@pay/egress";
import { type FindKeysByDigestRow, findKeysByDigest } from "../generated/sql.ts";
import { type KeyCaller, toScopes } from "./caller.ts";
import { byDigests } from "./digest.ts";

export interface KeyRecord {
  digest: Buffer;
  /** Of the pepper under the digest. */
  pepperVersion: number;
  caller: KeyCaller;
}

/** For each list of digests the key with one of them that is not revoked. */
export async function findKeys(
  db: Queryable,
  wanted: Buffer[][],
): Promise<(KeyRecord | undefined)[]> {
  const rows = await findKeysByDigest(db, { digests: wanted.flat() });
  return byDigests(rows, wanted).map(
    (row) =>
      row && { digest: row.digest, pepperVersion: row.pepper_version, caller: toCaller(row) },
  );
}

function toCaller(row: FindKeysByDigestRow): KeyCaller {
  return {
    actor: row.id,
    projectId: row.project_id,
    type: row.type,
    mode: row.mode,
    scopes: toScopes(row.scopes),
    expiresAt: row.expires_at,
    allowedAddresses: row.allowed_addresses.map(parseRange),
    allowedOrigins: row.allowed_origins,
    paymentLifetimeMinutes: row.payment_lifetime_minutes,
    unnamedTransfers: row.unnamed_transfers,
    depositAddresses: row.deposit_addresses,
    wallets: row.wallets,
    variant: row.variant,
    version: row.version,
  };
}
