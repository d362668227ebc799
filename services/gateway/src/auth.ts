// From a key in a header to its project. Keys are looked up by a digest under a secret pepper, so neither the
// time of a look-up nor a stolen table tells anything about a key. Unknown, revoked and expired keys go the same
// way and get the same answer. Records are kept for a few seconds; unknown keys apart from known ones, so that a
// flood of guesses cannot push the known ones out.
import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock, Log } from "@pay/process";
import { Failure, together } from "@pay/rpc";
import { LRUCache } from "lru-cache";
import { Counter } from "prom-client";
import type { Caller, KeyType } from "./caller.ts";
import { digestKey } from "./digest.ts";
import type { KeyRecord } from "./projects/storage.ts";

const KEY_FORM = /^(?:[sr]k|pk)_(?:live|test)_[0-9A-Za-z]{43}$/;
const KEY_IN_QUERY = /((?:[sr]k|pk)_(?:live|test)_|sess_(?=[0-9A-Za-z]{43}))/;
const HEADERS: Record<KeyType, string> = {
  secret: "x-secret-key",
  publishable: "x-publishable-key",
};

const refusals = new Counter({
  name: "auth_failures_total",
  help: "Requests refused for their key, by reason",
  labelNames: ["reason"],
});

export interface Authenticator {
  /** The owner of the key this kind of route reads, or the one answer every fault gets. */
  authenticate(headers: IncomingHttpHeaders, type: KeyType): Promise<Caller>;
  /** Forgets what is remembered of a project, after its keys or settings changed. */
  forget(projectId: string): void;
}

export const refuseKey = (reason: string, message = "API key is invalid or missing"): Failure => {
  refusals.inc({ reason });
  return new Failure("unauthenticated", message);
};

/** A key in an address is in logs and histories of others by now: somebody should know, and revoke it. */
export const refuseKeyInQuery = (query: string, log: Log, about: object): void => {
  const kind = KEY_IN_QUERY.exec(query)?.[1];
  if (kind === undefined) return;
  log.warn({ ...about, kind }, "a key came in the query of an address");
  throw refuseKey("in_query");
};

export const createAuthenticator = (options: {
  findKeys: (digests: Buffer[]) => Promise<(KeyRecord | undefined)[]>;
  pepper: string;
  clock: Clock;
  cacheMs: number;
  cacheMax: number;
}): Authenticator => {
  const { findKeys, pepper, clock, cacheMs, cacheMax } = options;
  // A zero would mean "for ever" to the cache.
  const bounds = { max: Math.max(1, cacheMax), ttl: Math.max(1, cacheMs) };
  const known = new LRUCache<string, Caller>(bounds);
  const unknown = new LRUCache<string, true>(bounds);
  const find = together(findKeys);

  const callerOf = async (key: string): Promise<Caller | undefined> => {
    const digest = digestKey(key, pepper);
    const name = digest.toString("latin1");
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (unknown.has(name)) return undefined;
    const record = await find(digest);
    if (record === undefined || !timingSafeEqual(record.digest, digest)) {
      unknown.set(name, true);
      return undefined;
    }
    known.set(name, record.caller);
    return record.caller;
  };

  const read = async (headers: IncomingHttpHeaders, type: KeyType): Promise<Caller> => {
    const key = headers[HEADERS[type]];
    if (typeof key !== "string") throw refuseKey("missing");
    if (!KEY_FORM.test(key)) throw refuseKey("malformed");
    const caller = await callerOf(key);
    if (caller === undefined) throw refuseKey("unknown");
    if (caller.type !== type) throw refuseKey("wrong_type");
    if (caller.expiresAt !== null && caller.expiresAt <= clock.now()) throw refuseKey("expired");
    return caller;
  };

  return {
    authenticate: async (headers, type) => {
      const caller = await read(headers, type);
      const other = type === "secret" ? "publishable" : "secret";
      if (headers[HEADERS[other]] !== undefined) {
        const beside = await read(headers, other);
        if (beside.projectId !== caller.projectId) throw refuseKey("two_projects");
      }
      return caller;
    },
    forget: (projectId) => {
      for (const [name, caller] of known.entries()) {
        if (caller.projectId === projectId) known.delete(name);
      }
    },
  };
};
