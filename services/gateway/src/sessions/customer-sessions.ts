// From a session's token to its shopper. A session is valid only together with a publishable key of its own project
// and mode, and only while the project trusts its issuer. It is looked up at every use, so an ended session stops
// working at once on every gateway.
import type { IncomingHttpHeaders } from "node:http";
import { createBatcher } from "@pay/batching";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import type { Caller } from "../keys/caller.ts";
import { bears, listDigests } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { rejectKey } from "../keys/reject-key.ts";
import type { Session } from "./storage.ts";

const BEARER = /^Bearer +(?=sess_)/i;
const SESSION_FORM = /^sess_[0-9A-Za-z]{43}$/;

/** A merchant's customer, as an issuer vouches for. */
export interface Shopper {
  /** Lower case; null: the issuer named none, so nothing here is the shopper's. */
  wallet: string | null;
}

export interface Shoppers {
  /** Throws where the session is not valid together with this key. */
  find(token: string, key: Caller): Promise<Shopper>;
}

/** The session of a request, if any. With a secret key beside it the caller is ambiguous, so that is refused. */
export function readSessionToken(headers: IncomingHttpHeaders): string | undefined {
  const { authorization = "" } = headers;
  if (!BEARER.test(authorization)) return undefined;
  if (headers["x-secret-key"] !== undefined) throw rejectKey("session_beside_secret");
  return authorization.replace(BEARER, "");
}

function refuseSession(reason: string) {
  return rejectKey(reason, new Failure("session_invalid", "Session is invalid or expired"));
}

export function createShoppers(options: {
  findSessions: (wanted: Buffer[][]) => Promise<(Session | undefined)[]>;
  peppers: Peppers;
  clock: Clock;
}): Shoppers {
  const { peppers, clock } = options;
  const find = createBatcher(options.findSessions);
  return {
    find: async (token, key) => {
      if (!SESSION_FORM.test(token)) throw refuseSession("session_malformed");
      const digests = listDigests(token, peppers);
      const session = await find(digests);
      if (session === undefined || !bears(session, digests)) {
        throw refuseSession("session_unknown");
      }
      const { projectId, mode, expiresAt, wallet } = session;
      if (projectId !== key.projectId || mode !== key.mode)
        throw refuseSession("session_elsewhere");
      if (expiresAt <= clock.now()) throw refuseSession("session_expired");
      return { wallet };
    },
  };
}
