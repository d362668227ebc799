// Finds the project of a key in a header. Keys are looked up by a digest under a secret pepper, so neither the time
// of a look-up nor a stolen table reveals anything about a key. Unknown and revoked keys get the same answer. A key may
// be digested under any version of the pepper. Records are cached for a few seconds; unknown keys have a cache of their
// own, so that a flood of guesses cannot evict known ones.
import type { IncomingHttpHeaders } from "node:http";
import { createBatcher } from "@pay/batching";
import type { Clock } from "@pay/process";
import { LRUCache } from "lru-cache";
import type { KeyCaller, KeyType } from "./caller.ts";
import { bears, listDigests, toDigest } from "./digest.ts";
import type { KeyRecord } from "./find-keys.ts";
import type { KeyUses, UsedKey } from "./key-uses.ts";
import type { Peppers } from "./pepper.ts";
import { rejectExpiredKey, rejectKey } from "./reject-key.ts";

const KEY_FORM = /^(?:[sr]k|pk)_(?:live|test)_[0-9A-Za-z]{43}$/;
export const KEY_HEADERS: Record<KeyType, string> = {
  secret: "x-secret-key",
  publishable: "x-publishable-key",
};

export interface Authenticator {
  /** The owner of the key this kind of route reads, or the one answer every fault gets. */
  authenticate(headers: IncomingHttpHeaders, type: KeyType): Promise<KeyCaller>;
  /** The owner of a key in the wrong place of a request; the request is refused and does not count as a use. */
  getOwner(key: string): Promise<KeyCaller | undefined>;
  /** Removes a project from the cache, after its keys or settings changed, and keeps look-ups under way out of it. */
  forget(projectId: string): void;
}

interface Known {
  caller: KeyCaller;
  used: UsedKey;
}

/**
 * A key under an older version of the pepper moves to this one. It never moves back: while a change is
 * rolled out, replicas differ in which version is their current one.
 */
function usedKey(record: KeyRecord, digest: Buffer, version: number): UsedKey {
  return {
    keyId: record.caller.actor,
    projectId: record.caller.projectId,
    renewal:
      record.pepperVersion < version ? { from: record.digest, to: digest, version } : undefined,
  };
}

export function createAuthenticator(options: {
  findKeys: (wanted: Buffer[][]) => Promise<(KeyRecord | undefined)[]>;
  uses: KeyUses;
  peppers: Peppers;
  clock: Clock;
  cacheMs: number;
  cacheMax: number;
}): Authenticator {
  const { findKeys, uses, peppers, clock, cacheMs, cacheMax } = options;
  // The cache takes a zero as no limit of time.
  const bounds = { max: Math.max(1, cacheMax), ttl: Math.max(1, cacheMs) };
  const known = new LRUCache<string, Known>(bounds);
  const unknown = new LRUCache<string, true>(bounds);
  const find = createBatcher(findKeys);
  /** Counts calls of forget: a look-up that was under way during one may have read what is not true any more. */
  let forgotten = 0;

  async function lookUp(key: string): Promise<Known | undefined> {
    const digest = toDigest(key, peppers[0]);
    const name = digest.toString("latin1");
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (unknown.has(name)) return undefined;
    const digests = listDigests(key, peppers);
    const forgottenBefore = forgotten;
    const record = await find(digests);
    if (record === undefined || !bears(record, digests)) {
      unknown.set(name, true);
      return undefined;
    }
    const found = { caller: record.caller, used: usedKey(record, digest, peppers[0].version) };
    if (forgotten === forgottenBefore) known.set(name, found);
    return found;
  }

  async function read(headers: IncomingHttpHeaders, type: KeyType): Promise<KeyCaller> {
    const key = headers[KEY_HEADERS[type]];
    if (typeof key !== "string") throw rejectKey("missing");
    if (!KEY_FORM.test(key)) throw rejectKey("malformed");
    const found = await lookUp(key);
    if (found === undefined) throw rejectKey("unknown");
    const { caller, used } = found;
    const now = clock.now();
    if (caller.type !== type) throw rejectKey("wrong_type");
    if (caller.expiresAt !== null && caller.expiresAt <= now) throw rejectExpiredKey();
    uses.note(used, now);
    return caller;
  }

  return {
    authenticate: async (headers, type) => {
      const caller = await read(headers, type);
      const other = type === "secret" ? "publishable" : "secret";
      if (headers[KEY_HEADERS[other]] !== undefined) {
        const beside = await read(headers, other);
        if (beside.projectId !== caller.projectId) throw rejectKey("two_projects");
      }
      return caller;
    },
    getOwner: async (key) => (await lookUp(key))?.caller,
    forget: (projectId) => {
      forgotten++;
      for (const [name, { caller }] of known.entries()) {
        if (caller.projectId === projectId) known.delete(name);
      }
    },
  };
}
