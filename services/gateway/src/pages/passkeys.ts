// The routes of passkeys: to add one, to sign in with one, and to prove with one to be there. A browser keeps in a
// cookie of its own what the challenge it has to answer was made from.

import { Failure } from "@pay/failures";
import { newSecret } from "@pay/values";
import type { Express, Request, Response } from "express";
import type { z } from "zod";
import { parseObject } from "../http/parse-json.ts";
import { readBody } from "../http/read-body.ts";
import { sendJson } from "../http/respond.ts";
import { toDigest } from "../keys/digest.ts";
import { CHALLENGE_MS } from "../members/challenges.ts";
import { formatCookie, isSameOrigin, readCookie } from "../members/cookie.ts";
import { checkCsrfToken } from "../members/csrf.ts";
import { addition, assertion, createPasskeys } from "../members/passkeys.ts";
import {
  isFresh,
  SESSION_MAX_MS,
  SESSION_PREFIX,
  type SignIn,
  signInInvalid,
} from "../members/sign-ins.ts";
import type { Deps } from "../pipeline/deps.ts";
import { createFaults } from "../pipeline/validate.ts";

type Needed = Pick<
  Deps,
  "pool" | "prisma" | "peppers" | "signIns" | "dashboard" | "clock" | "stopping"
>;
type Signed = SignIn & { token: string };
type Handle = (request: Request, response: Response) => Promise<void>;

async function readFields<S extends z.ZodType>(request: Request, schema: S) {
  const faults = createFaults();
  const bytes = await readBody(request);
  const fields = faults.read(schema, bytes.length === 0 ? {} : parseObject(bytes), "body");
  faults.throwIfAny();
  return fields;
}

/** Where the installation has no address, no passkey can belong to it. */
export function mountPasskeys(
  app: Express,
  deps: Needed,
  readSignIn: (request: Request) => Promise<Signed>,
): void {
  const { dashboard, peppers, clock, stopping } = deps;
  const { origin } = dashboard;
  if (origin === undefined) return;
  const passkeys = createPasskeys({ ...deps, origin });
  const challenges = { ...dashboard, cookie: `${dashboard.cookie}_passkey` };

  function readToken({ headers }: Request): string | undefined {
    return readCookie(headers, challenges);
  }

  function offer(response: Response, { token, options }: { token: string; options: object }) {
    response.setHeader("Set-Cookie", formatCookie(challenges, token, CHALLENGE_MS / 1_000));
    sendJson(response, 200, options, stopping);
  }

  async function readMember(request: Request): Promise<Signed> {
    const signed = await readSignIn(request);
    checkCsrfToken(request.headers["x-csrf-token"], signed.token, peppers);
    return signed;
  }

  /** A stolen cookie must not add a passkey of its thief beside those that a member has. */
  async function readAdder(request: Request): Promise<Signed> {
    const signed = await readMember(request);
    const { session } = signed;
    if (isFresh(session, clock.now()) || (await passkeys.countOf(session.memberId)) === 0) {
      return signed;
    }
    throw new Failure("confirmation_required", "Confirm with a passkey first");
  }

  function post(path: string, handle: Handle): void {
    app.post(path, async (request: Request, response: Response) => {
      response.locals.route = path;
      // Another page must not sign a browser in as somebody else.
      if (!isSameOrigin(request.headers, dashboard)) throw signInInvalid();
      await handle(request, response);
    });
  }

  post("/dashboard/passkeys/options", async (request, response) => {
    const { session } = await readAdder(request);
    const { memberId: id, email, name } = session;
    offer(response, await passkeys.offerAddition({ id, email, name }));
  });

  post("/dashboard/passkeys", async (request, response) => {
    const { session } = await readAdder(request);
    await passkeys.add(session.memberId, readToken(request), await readFields(request, addition));
    response.status(204).end();
  });

  post("/dashboard/sign-in/options", async (_request, response) => {
    offer(response, await passkeys.offerSignIn());
  });

  post("/dashboard/sign-in", async (request, response) => {
    const fields = await readFields(request, assertion);
    const token = newSecret(SESSION_PREFIX);
    await passkeys.signIn(readToken(request), fields, toDigest(token, peppers[0]));
    response.setHeader("Set-Cookie", formatCookie(dashboard, token, SESSION_MAX_MS / 1_000));
    response.status(204).end();
  });

  post("/dashboard/confirm/options", async (request, response) => {
    const { session } = await readMember(request);
    offer(response, await passkeys.offerConfirmation(session.memberId));
  });

  post("/dashboard/confirm", async (request, response) => {
    const { session } = await readMember(request);
    const fields = await readFields(request, assertion);
    await passkeys.confirm(session, readToken(request), fields);
    deps.signIns.forgetMember(session.memberId);
    response.status(204).end();
  });
}
