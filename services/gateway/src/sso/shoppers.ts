// From a session's token to the shopper it stands for. A session is only good beside a publishable key of its own
// project and mode, and only while the project trusts the issuer it came from. It is looked up every time: what ended
// is over at once, on every gateway.
import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "@pay/process";
import { together } from "@pay/rpc";
import { refuseKey } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { digestKey } from "../digest.ts";
import type { Session } from "./session-storage.ts";

const BEARER = /^Bearer +(?=sess_)/i;
const SESSION_FORM = /^sess_[0-9A-Za-z]{43}$/;

/** A merchant's customer, as an issuer vouches for. */
export interface Shopper {
  /** Lower case; null: the issuer named none, so nothing here is the shopper's. */
  wallet: string | null;
}

export interface Shoppers {
  /** Throws where the session is not good beside this key. */
  find(token: string, key: Caller): Promise<Shopper>;
}

/** The session a request is made with, if any. Beside a secret key it is unclear who asks, so that is refused. */
export const sessionTokenOf = (headers: IncomingHttpHeaders): string | undefined => {
  const { authorization = "" } = headers;
  if (!BEARER.test(authorization)) return undefined;
  if (headers["x-secret-key"] !== undefined) throw refuseKey("session_beside_secret");
  return authorization.replace(BEARER, "");
};

const refuseSession = (reason: string) => refuseKey(reason, "Session is invalid or expired");

export const createShoppers = (options: {
  findSessions: (digests: Buffer[]) => Promise<(Session | undefined)[]>;
  pepper: string;
  clock: Clock;
}): Shoppers => {
  const { pepper, clock } = options;
  const find = together(options.findSessions);
  return {
    find: async (token, key) => {
      if (!SESSION_FORM.test(token)) throw refuseSession("session_malformed");
      const digest = digestKey(token, pepper);
      const session = await find(digest);
      if (session === undefined || !timingSafeEqual(session.digest, digest)) {
        throw refuseSession("session_unknown");
      }
      const { projectId, mode, expiresAt, wallet } = session;
      if (projectId !== key.projectId || mode !== key.mode)
        throw refuseSession("session_elsewhere");
      if (expiresAt <= clock.now()) throw refuseSession("session_expired");
      return { wallet };
    },
  };
};
