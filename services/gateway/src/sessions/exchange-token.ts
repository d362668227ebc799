import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import { newSecret } from "@pay/values";
import type { Pool } from "pg";
import { Counter } from "prom-client";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findFirstResponse, writeOnce } from "../idempotency/own-write.ts";
import type { RepeatableCall } from "../idempotency/repeatable-call.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import type { Caller } from "../keys/caller.ts";
import { toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { findProject } from "../projects/storage.ts";
import { insertSession, subjectDigests } from "./storage.ts";
import { rejectToken, type VerifyToken } from "./verify-token.ts";

const LIFETIME_MS = 60 * 60_000;

const exchanges = new Counter({
  name: "sso_exchanges_total",
  help: "SSO tokens that were exchanged for a session",
});

export interface OpenedSession {
  sessionToken: string;
  expiresAt: string;
}

interface Needed {
  pool: Pool;
  prisma: PrismaClient;
  sealedResponses: SealedResponses;
  peppers: Peppers;
  verifyToken: VerifyToken;
  clock: Clock;
}

type TokenCall = RepeatableCall & { caller: Caller; body: { token: string } };

/** The issuer is asked before the transaction begins, so a repeated request is looked up before that. */
export async function exchangeToken(deps: Needed, call: TokenCall): Promise<OpenedSession> {
  const earlier = await findFirstResponse<OpenedSession>(deps, call);
  if (earlier !== undefined) return earlier;
  const { projectId, mode } = call.caller;
  const project = await findProject(deps.prisma, projectId);
  if (!project?.sso) throw new Failure("sso_not_configured", "SSO is not configured");
  const { issuer } = project.sso;
  const identity = await deps.verifyToken(call.body.token, project.sso);

  return writeOnce(deps, call, async (tx) => {
    const sessionToken = newSecret("sess_");
    const createdAt = deps.clock.now();
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
    const made = await insertSession(tx, {
      projectId,
      mode,
      subjects: subjectDigests(issuer, identity.subject, deps.peppers),
      digest: toDigest(sessionToken, deps.peppers[0]),
      wallet: identity.wallet,
      ssoVersion: project.sso_version,
      createdAt,
      expiresAt,
      used: identity,
    });
    if (!made) throw rejectToken("used");
    exchanges.inc();
    return { sessionToken, expiresAt: expiresAt.toISOString() };
  });
}
