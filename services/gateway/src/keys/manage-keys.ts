// Making, rolling and revoking keys, of both modes.

import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import type { Pool } from "pg";
import type { Changes } from "../audit/entries.ts";
import type { AuditTrail } from "../audit/trail.ts";
import { lockKey, markKeyRolled, readKey } from "../generated/sql.ts";
import { writeOnce } from "../idempotency/own-write.ts";
import type { RepeatableCall } from "../idempotency/repeatable-call.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import { findScopeBeyond } from "../members/roles.ts";
import type { Authenticator } from "./authenticate.ts";
import {
  ALL_SCOPES,
  type Caller,
  type KeyMode,
  type KeyType,
  type Scope,
  toScopes,
} from "./caller.ts";
import { newKey } from "./new-key.ts";
import type { Peppers } from "./pepper.ts";
import { type ApiKey, insertKey, type Maker, revokeKey as revokeStoredKey } from "./storage.ts";

interface Needed {
  pool: Pool;
  sealedResponses: SealedResponses;
  peppers: Peppers;
  clock: Clock;
  authenticator: Pick<Authenticator, "forget">;
  relay: { wake(): void };
}

type MakersCall = RepeatableCall & {
  caller: Maker & Pick<Caller, "mode" | "scopes">;
  requestId: string;
  audit: Pick<AuditTrail, "record">;
};

export type ShownKey = ApiKey & { key: string };

const KEY_NOT_FOUND = "Key not found";
function lastKey(mode: KeyMode) {
  return `The last unrestricted ${mode} secret key of a project cannot be revoked; make or roll one first`;
}

interface WantedKey {
  type: KeyType;
  mode: KeyMode;
  scopes?: Scope[] | undefined;
  name?: string | undefined;
  allowedAddresses?: string[] | undefined;
  expiresAt?: Date | undefined;
}

/** In test mode there are no live keys. */
function findOwn<Key extends { type: string; mode: string; scopes: string[] }>(
  caller: Pick<Caller, "mode" | "scopes">,
  key: Key | undefined,
): Key {
  if (key === undefined || (caller.mode === "test" && key.mode === "live")) {
    throw new Failure("api_key_not_found", KEY_NOT_FOUND);
  }
  checkOwn(caller, key);
  return key;
}

/** Nobody gives, takes over or ends what is beyond the own rights. */
function checkOwn(
  { mode, scopes }: Pick<Caller, "mode" | "scopes">,
  key: { type: string; mode: string; scopes: readonly string[] },
): void {
  if (mode === "test" && key.mode === "live") {
    throw new Failure("live_key_required", "A live key can only be made in live mode");
  }
  if (key.type === "publishable") return;
  const beyond = findScopeBeyond(scopes, toScopes(key.scopes));
  if (beyond === undefined) return;
  throw new Failure("scope_missing", `You lack the scope ${beyond}, which the key has`);
}

export async function createKey(
  deps: Needed,
  call: MakersCall,
  wanted: WantedKey,
): Promise<ShownKey> {
  const created = await writeOnce(deps, call, async (tx) => {
    const { type, mode, scopes = ALL_SCOPES, name = null } = wanted;
    const { allowedAddresses = [], expiresAt = null } = wanted;
    checkOwn(call.caller, { type, mode, scopes });
    if (expiresAt !== null && expiresAt <= deps.clock.now()) {
      throw new Failure("field_invalid", "expiresAt must be a time to come");
    }
    const bounds = { scopes, name, allowedAddresses, expiresAt };
    const key = newKey({ type, mode, ...bounds }, deps.peppers[0]);
    const written = { at: deps.clock.now(), requestId: call.requestId };
    const row = made(await insertKey(tx, call.caller, key, written));
    await call.audit.record(tx, { targetId: row.id, changes: describeKey(row) });
    return { ...row, key: key.text };
  });
  deps.relay.wake();
  return created;
}

function describeKey({ type, mode, scopes, name, ...key }: ApiKey): Changes {
  const { allowed_addresses: allowedAddresses, expires_at: expiresAt } = key;
  const shown = { type, mode, scopes, name, allowedAddresses, expiresAt };
  return Object.fromEntries(Object.entries(shown).map(([field, after]) => [field, { after }]));
}

function made(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new Failure("project_not_found", "Project not found");
  return key;
}

/** The successor works at once, the old key until the end of the grace. */
export async function rollKey(
  deps: Needed,
  call: MakersCall,
  id: string,
  graceSeconds: number,
): Promise<ShownKey> {
  const { projectId } = call.caller;
  const rolled = await writeOnce(deps, call, async (tx) => {
    const now = deps.clock.now();
    const [found] = await lockKey(tx, { id, projectId });
    const old = findOwn(call.caller, found);
    if (old.successor_id !== null) {
      throw new Failure("api_key_already_rolled", "Key is already rolled");
    }
    const { allowed_addresses: allowedAddresses, expires_at: ownEnd } = old;
    const key = newKey({ ...old, allowedAddresses, expiresAt: ownEnd }, deps.peppers[0]);
    const written = { at: now, requestId: call.requestId };
    const successor = made(await insertKey(tx, call.caller, key, written));
    const graceEnd = new Date(now.getTime() + graceSeconds * 1_000);
    const expiresAt = ownEnd !== null && ownEnd < graceEnd ? ownEnd : graceEnd;
    await markKeyRolled(tx, { id, projectId, successorId: successor.id, expiresAt });
    const changes = { expiresAt: { before: ownEnd, after: expiresAt } };
    await call.audit.record(tx, { targetId: id, changes });
    return { ...successor, key: key.text };
  });
  deps.authenticator.forget(projectId);
  deps.relay.wake();
  return rolled;
}

export async function revokeKey(
  deps: Needed,
  { caller, requestId, audit }: Omit<MakersCall, keyof RepeatableCall>,
  id: string,
): Promise<void> {
  const { projectId } = caller;
  const revokedAt = deps.clock.now();
  const outcome = await transaction(deps.pool, async (tx) => {
    const written = { at: revokedAt, requestId };
    const [key] = await readKey(tx, { id, projectId });
    findOwn(caller, key);
    const revocation = await revokeStoredKey(tx, { id, projectId }, written);
    if (revocation === "revoked") {
      await audit.record(tx, { targetId: id, changes: { revokedAt: { after: revokedAt } } });
    }
    return revocation;
  });
  if (outcome === "absent") throw new Failure("api_key_not_found", KEY_NOT_FOUND);
  if (outcome !== "revoked") throw new Failure("api_key_last", lastKey(outcome.onlyKeyOfMode));
  deps.authenticator.forget(projectId);
  deps.relay.wake();
}
