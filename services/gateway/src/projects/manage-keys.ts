// Making, rolling and revoking keys. Only a full secret key may: a restricted one could otherwise hand itself the
// rights it lacks, and a key of the test mode those of the live one.
import { Failure } from "@pay/rpc";
import type { Caller, KeyMode, KeyType, Scope } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Call } from "../route.ts";
import {
  type ApiKey,
  insertKey,
  lockKey,
  markRevoked,
  markRolled,
  type Owner,
} from "./key-storage.ts";
import { newKey } from "./keys.ts";
import { onceOnly } from "./once-only.ts";

export type ShownKey = ApiKey & { key: string };

const KEY_NOT_FOUND = "Key not found";

export const ownerOf = (caller: Caller): Owner => {
  if (caller.scopes.length > 0) {
    throw new Failure("permission_denied", "A restricted key cannot manage keys");
  }
  const modes: KeyMode[] = caller.mode === "live" ? ["live", "test"] : ["test"];
  return { projectId: caller.projectId, modes };
};

export const createKey = async (
  deps: Deps,
  call: Call,
  wanted: { type: KeyType; mode: KeyMode; scopes?: Scope[] | undefined; name?: string | undefined },
): Promise<ShownKey> => {
  const { projectId, modes } = ownerOf(call.caller);
  if (!modes.includes(wanted.mode)) {
    throw new Failure("permission_denied", "A test key cannot make live keys");
  }
  return onceOnly(deps, call, async (tx) => {
    const { type, mode, scopes = [], name = null } = wanted;
    const key = newKey({ type, mode, scopes, name }, deps.pepper);
    return { ...(await insertKey(tx, projectId, key, deps.clock.now())), key: key.text };
  });
};

/** The successor works at once, the old key until the end of the grace. */
export const rollKey = async (
  deps: Deps,
  call: Call,
  id: string,
  graceSeconds: number,
): Promise<ShownKey> => {
  const owner = ownerOf(call.caller);
  const rolled = await onceOnly(deps, call, async (tx) => {
    const now = deps.clock.now();
    const old = await lockKey(tx, owner, id);
    if (old === undefined) throw new Failure("not_found", KEY_NOT_FOUND);
    if (old.successor_id !== null) {
      throw new Failure("failed_precondition", "Key is already rolled");
    }
    const key = newKey(old, deps.pepper);
    const made = await insertKey(tx, owner.projectId, key, now);
    const expiresAt = new Date(now.getTime() + graceSeconds * 1_000);
    await markRolled(tx, old, { successorId: made.id, expiresAt });
    return { ...made, key: key.text };
  });
  deps.authenticator.forget(owner.projectId);
  return rolled;
};

export const revokeKey = async (deps: Deps, caller: Caller, id: string): Promise<void> => {
  const owner = ownerOf(caller);
  const revoked = await markRevoked(deps.pool, owner, id, deps.clock.now());
  if (!revoked) throw new Failure("not_found", KEY_NOT_FOUND);
  deps.authenticator.forget(owner.projectId);
};
