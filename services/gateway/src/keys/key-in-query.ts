// A key in a URL has been written to logs and histories of other programs. The request is refused, and our log names
// the key's id and project, so that it can be revoked; the key itself is never logged.

import type { Failure } from "@pay/failures";
import type { Log } from "@pay/process";
import type { Authenticator } from "./authenticate.ts";
import { rejectKey } from "./reject-key.ts";

// No boundary stands before the prefix: in an encoded address `%3D` is what comes before a key. An order id may hold
// a prefix; what follows it is shorter than that of a key.
const KEY_START = /((?:[sr]k|pk)_(?:live|test)_|sess_)(?=[0-9A-Za-z]{43})/;
const WHOLE_KEY = /(?:[sr]k|pk)_(?:live|test)_[0-9A-Za-z]{43}/g;
/** A query may be full of keys that do not exist. */
const LOOKED_UP_MAX = 5;

/** The prefix of a key in a query, if there is one. */
export function kindOfKeyIn(query: string): string | undefined {
  return KEY_START.exec(query)?.[1];
}

/** Logs whose key it is, where that can be found, and returns the refusal to throw. */
export async function rejectKeyInQuery(
  query: string,
  { authenticator, log }: { authenticator: Authenticator; log: Log },
  about: object,
): Promise<Failure> {
  const kind = kindOfKeyIn(query);
  const { projectId, actor: keyId } = (await ownerIn(query, authenticator)) ?? {};
  log.warn({ ...about, kind, projectId, keyId }, "a key came in the query of an address");
  return rejectKey("in_query");
}

async function ownerIn(query: string, authenticator: Authenticator) {
  const keys = (query.match(WHOLE_KEY) ?? []).slice(0, LOOKED_UP_MAX);
  // The request is refused in any case; a database that is away only leaves the owner unnamed.
  const owners = await Promise.all(
    keys.map((key) => authenticator.getOwner(key).catch(() => undefined)),
  );
  return owners.find((owner) => owner !== undefined);
}
