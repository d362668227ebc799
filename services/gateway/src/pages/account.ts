// The routes of a member's own account.
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Request } from "express";
import { z } from "zod";
import * as field from "../api/fields.ts";
import { sendJson } from "../http/respond.ts";
import {
  endSignIns,
  readAccount,
  removePasskey,
  renameMember,
  renamePasskey,
} from "../members/account.ts";
import { formatCookie } from "../members/cookie.ts";
import { replaceRecoveryCodes, signInByRecoveryCode } from "../members/recovery-codes.ts";
import { SESSION_MAX_MS } from "../members/sign-ins.ts";
import {
  checkFresh,
  checkOpen,
  type MemberRequests,
  type Needed,
  readAgent,
  readFields,
  type Signed,
} from "./member-requests.ts";

const ACCOUNT = "/dashboard/account";
const ID = /^[\w-]{1,1400}$/;

const naming = z.object({ name: field.name(100) });
const recovery = z.object({
  email: z.string().trim().toLowerCase().max(254),
  code: z.string().max(100),
});

function readId({ params }: Request): string {
  const { id } = params;
  if (typeof id !== "string" || !ID.test(id)) throw new Failure("not_found", "Not found");
  return id;
}

export function mountAccount(
  { readSignIn, readWriter, mount }: MemberRequests,
  deps: Needed,
): void {
  const { pool, prisma, peppers, dashboard, memberMails, clock, log, stopping } = deps;

  async function readOwner(request: Request): Promise<Signed> {
    const signed = await readWriter(request);
    checkOpen(signed);
    return signed;
  }

  mount("get", `${ACCOUNT}/details`, async (request, response) => {
    const signed = await readSignIn(request);
    checkOpen(signed);
    sendJson(response, 200, await readAccount(prisma, signed, clock.now()), stopping);
  });

  mount("put", `${ACCOUNT}/name`, async (request, response) => {
    const { memberId } = (await readOwner(request)).session;
    await renameMember(prisma, memberId, (await readFields(request, naming)).name);
    deps.signIns.forgetMember(memberId);
    response.status(204).end();
  });

  mount("put", `${ACCOUNT}/passkeys/:id`, async (request, response) => {
    const { memberId } = (await readOwner(request)).session;
    const { name } = await readFields(request, naming);
    await renamePasskey(prisma, memberId, readId(request), name);
    response.status(204).end();
  });

  mount("delete", `${ACCOUNT}/passkeys/:id`, async (request, response) => {
    const signed = await readOwner(request);
    checkFresh(signed, clock.now());
    const { memberId } = signed.session;
    // With https a member without a passkey cannot come in any more.
    const least = dashboard.isSecure ? 1 : 0;
    await removePasskey(pool, { memberId, id: readId(request), least });
    response.status(204).end();
  });

  mount("delete", `${ACCOUNT}/sign-ins`, async (request, response) => {
    const signed = await readOwner(request);
    await endSignIns(prisma, signed, "others", clock.now());
    deps.signIns.forgetMember(signed.session.memberId);
    response.status(204).end();
  });

  mount("delete", `${ACCOUNT}/sign-ins/:id`, async (request, response) => {
    const signed = await readOwner(request);
    await endSignIns(prisma, signed, { id: readId(request) }, clock.now());
    deps.signIns.forgetMember(signed.session.memberId);
    response.status(204).end();
  });

  mount("post", `${ACCOUNT}/recovery-codes`, async (request, response) => {
    const signed = await readOwner(request);
    checkFresh(signed, clock.now());
    const by = { peppers, now: clock.now() };
    const codes = await replaceRecoveryCodes(pool, signed.session.memberId, by);
    sendJson(response, 200, { codes }, stopping);
  });

  mount("post", "/dashboard/recovery", async (request, response) => {
    const fields = await readFields(request, recovery);
    const by = { peppers, now: clock.now() };
    const opened = await transaction(pool, async (tx) => {
      const signIn = await signInByRecoveryCode(tx, { ...fields, agent: readAgent(request) }, by);
      if (signIn) await memberMails?.announceRecovery(tx, { ...signIn, way: "a recovery code" });
      return signIn;
    });
    if (opened === undefined) {
      throw new Failure(
        "recovery_code_invalid",
        "This code is unknown or used, or not of this e-mail address",
      );
    }
    memberMails?.wake();
    log.warn({ memberId: opened.memberId }, "a member signed in by a recovery code");
    const cookie = formatCookie(dashboard, opened.token, SESSION_MAX_MS / 1_000);
    response.setHeader("Set-Cookie", cookie);
    response.status(204).end();
  });
}
