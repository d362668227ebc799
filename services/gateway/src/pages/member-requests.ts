// Requests of the dashboard's pages to the routes of people: which sign-in they have, and what they may do with it.
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import type { z } from "zod";
import { parseObject } from "../http/parse-json.ts";
import { readBody } from "../http/read-body.ts";
import { isSameOrigin, readCookie } from "../members/cookie.ts";
import { checkCsrfToken } from "../members/csrf.ts";
import { isFresh, passkeyRequired, type SignIn, signInInvalid } from "../members/sign-ins.ts";
import type { Deps } from "../pipeline/deps.ts";
import { createFaults } from "../pipeline/validate.ts";

const AGENT_LENGTH_MAX = 200;

export type Needed = Pick<
  Deps,
  | "pool"
  | "prisma"
  | "peppers"
  | "signIns"
  | "dashboard"
  | "memberMails"
  | "clock"
  | "log"
  | "stopping"
>;
export type Signed = SignIn & { token: string };
type Handle = (request: Request, response: Response) => Promise<void>;

export interface MemberRequests {
  /** Cookie and sign-in of a page of the dashboard; every other page is served as if it had sent none. */
  readSignIn(request: Request): Promise<Signed>;
  /** The same for a write, which has the token of the page. */
  readWriter(request: Request): Promise<Signed>;
  /** Undefined where there is no sign-in. */
  findSignIn(request: Request): Promise<Signed | undefined>;
  /** Mounts a route for pages of the dashboard alone. */
  mount(method: "get" | "post" | "put" | "delete", path: string, handle: Handle): void;
}

export function createMemberRequests(
  app: Express,
  { signIns, dashboard, peppers }: Needed,
): MemberRequests {
  async function readSignIn({ headers }: Request): Promise<Signed> {
    const token = isSameOrigin(headers, dashboard) ? readCookie(headers, dashboard) : undefined;
    return { token: token ?? "", ...(await signIns.find(token ?? "")) };
  }

  return {
    readSignIn,
    findSignIn: (request) =>
      readSignIn(request).catch((error: unknown) => {
        if (error instanceof Failure && error.errorCode === "sign_in_invalid") return undefined;
        throw error;
      }),
    readWriter: async (request) => {
      const signed = await readSignIn(request);
      checkCsrfToken(request.headers["x-csrf-token"], signed.token, peppers);
      return signed;
    },
    mount: (method, path, handle) => {
      const route = path.replace(/:(\w+)/g, "{$1}");
      app[method](path, async (request: Request, response: Response) => {
        response.locals.route = route;
        // Another page must not sign a browser in as somebody else.
        if (!isSameOrigin(request.headers, dashboard)) throw signInInvalid();
        await handle(request, response);
      });
    },
  };
}

export async function readFields<S extends z.ZodType>(request: Request, schema: S) {
  const faults = createFaults();
  const bytes = await readBody(request);
  const fields = faults.read(schema, bytes.length === 0 ? {} : parseObject(bytes), "body");
  faults.throwIfAny();
  return fields;
}

/** The browser, as it names itself. */
export function readAgent({ headers }: Request): string | null {
  return headers["user-agent"]?.slice(0, AGENT_LENGTH_MAX) || null;
}

export function checkFresh({ session }: SignIn, now: Date): void {
  if (!isFresh(session, now)) {
    throw new Failure("confirmation_required", "Confirm first that it is you");
  }
}

export function checkOpen({ needsPasskey }: SignIn): void {
  if (needsPasskey) throw passkeyRequired();
}
