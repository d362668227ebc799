// Making, rolling and revoking keys, of both modes.

import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import type { Pool } from "pg";
import type { Changes } from "../audit/entries.ts";
import type { AuditTrail } from "../audit/trail.ts";
import { lockKey, markKeyRolled } from "../generated/sql.ts";
import { writeOnce } from "../idempotency/own-write.ts";
import type { RepeatableCall } from "../idempotency/repeatable-call.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import type { Authenticator } from "./authenticate.ts";
import { ALL_SCOPES, type KeyMode, type KeyType, type Scope } from "./caller.ts";
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
  caller: Maker;
  requestId: string;
  audit: Pick<AuditTrail, "record">;
};

export type ShownKey = ApiKey & { key: string };

const KEY_NOT_FOUND = "Key not found";
function lastKey(mode: KeyMode) {
  return `The last unrestricted ${mode} secret key of a project cannot be revoked; make or roll one first`;
}

export async function createKey(
  deps: Needed,
  call: MakersCall,
  wanted: { type: KeyType; mode: KeyMode; scopes?: Scope[] | undefined; name?: string | undefined },
): Promise<ShownKey> {
  const created = await writeOnce(deps, call, async (tx) => {
    const { type, mode, scopes = ALL_SCOPES, name = null } = wanted;
    const key = newKey({ type, mode, scopes, name }, deps.peppers[0]);
    const written = { at: deps.clock.now(), requestId: call.requestId };
    const row = made(await insertKey(tx, call.caller, key, written));
    await call.audit.record(tx, { targetId: row.id, changes: describeKey(row) });
    return { ...row, key: key.text };
  });
  deps.relay.wake();
  return created;
}

function describeKey({ type, mode, scopes, name }: ApiKey): Changes {
  const shown = { type, mode, scopes, name };
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
    const [old] = await lockKey(tx, { id, projectId });
    if (old === undefined) throw new Failure("api_key_not_found", KEY_NOT_FOUND);
    if (old.successor_id !== null) {
      throw new Failure("api_key_already_rolled", "Key is already rolled");
    }
    const key = newKey(old, deps.peppers[0]);
    const written = { at: now, requestId: call.requestId };
    const successor = made(await insertKey(tx, call.caller, key, written));
    const expiresAt = new Date(now.getTime() + graceSeconds * 1_000);
    await markKeyRolled(tx, { id, projectId, successorId: successor.id, expiresAt });
    const changes = { expiresAt: { before: old.expires_at, after: expiresAt } };
    await call.audit.record(tx, { targetId: id, changes });
    return { ...successor, key: key.text };
  });
  deps.authenticator.forget(projectId);
  deps.relay.wake();
  return rolled;
}

export async function revokeKey(
  deps: Needed,
  { caller: { projectId }, requestId, audit }: Omit<MakersCall, keyof RepeatableCall>,
  id: string,
): Promise<void> {
  const revokedAt = deps.clock.now();
  const outcome = await transaction(deps.pool, async (tx) => {
    const written = { at: revokedAt, requestId };
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
