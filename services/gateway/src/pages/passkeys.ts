// The routes of passkeys: to add one, to sign in with one, and to prove with one to be there. A browser keeps in a
// cookie of its own what the challenge it has to answer was made from.

import { newSecret } from "@pay/values";
import type { Request, Response } from "express";
import { sendJson } from "../http/respond.ts";
import { toDigest } from "../keys/digest.ts";
import { CHALLENGE_MS } from "../members/challenges.ts";
import { formatCookie, readCookie } from "../members/cookie.ts";
import { addition, assertion, createPasskeys } from "../members/passkeys.ts";
import { SESSION_MAX_MS, SESSION_PREFIX } from "../members/sign-ins.ts";
import {
  checkFresh,
  type MemberRequests,
  type Needed,
  readAgent,
  readFields,
  type Signed,
} from "./member-requests.ts";

/** Where the installation has no address, no passkey can belong to it. */
export function mountPasskeys({ readWriter, mount }: MemberRequests, deps: Needed): void {
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

  /** A stolen cookie must not add a passkey of its thief beside those that a member has. */
  async function readAdder(request: Request): Promise<Signed> {
    const signed = await readWriter(request);
    const { memberId, method } = signed.session;
    if (method === "oidc" || (await passkeys.countOf(memberId)) > 0)
      checkFresh(signed, clock.now());
    return signed;
  }

  mount("post", "/dashboard/passkeys/options", async (request, response) => {
    const { session } = await readAdder(request);
    const { memberId: id, email, name } = session;
    offer(response, await passkeys.offerAddition({ id, email, name }));
  });

  mount("post", "/dashboard/passkeys", async (request, response) => {
    const { session } = await readAdder(request);
    await passkeys.add(session, readToken(request), await readFields(request, addition));
    deps.signIns.forgetMember(session.memberId);
    response.status(204).end();
  });

  mount("post", "/dashboard/sign-in/options", async (_request, response) => {
    offer(response, await passkeys.offerSignIn());
  });

  mount("post", "/dashboard/sign-in", async (request, response) => {
    const fields = await readFields(request, assertion);
    const token = newSecret(SESSION_PREFIX);
    const session = { digest: toDigest(token, peppers[0]), agent: readAgent(request) };
    await passkeys.signIn(readToken(request), fields, session);
    response.setHeader("Set-Cookie", formatCookie(dashboard, token, SESSION_MAX_MS / 1_000));
    response.status(204).end();
  });

  mount("post", "/dashboard/confirm/options", async (request, response) => {
    const { session } = await readWriter(request);
    offer(response, await passkeys.offerConfirmation(session.memberId));
  });

  mount("post", "/dashboard/confirm", async (request, response) => {
    const { session } = await readWriter(request);
    const fields = await readFields(request, assertion);
    await passkeys.confirm(session, readToken(request), fields);
    deps.signIns.forgetMember(session.memberId);
    response.status(204).end();
  });
}
