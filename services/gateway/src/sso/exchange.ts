import { newSecret } from "@pay/money";
import { Failure } from "@pay/rpc";
import { Counter } from "prom-client";
import type { Deps } from "../deps.ts";
import { digestKey } from "../digest.ts";
import { answeredBefore, onceOnly } from "../projects/once-only.ts";
import { findProject } from "../projects/storage.ts";
import type { Call } from "../route.ts";
import { insertSession } from "./session-storage.ts";
import { refuseToken } from "./verify-token.ts";

const LIFETIME_MS = 60 * 60_000;

const exchanges = new Counter({
  name: "sso_exchanges_total",
  help: "SSO tokens that were exchanged for a session",
});

export interface OpenedSession {
  sessionToken: string;
  expiresAt: string;
}

/** The issuer is asked before the transaction begins, so a repeated request is looked up before that. */
export const exchangeToken = async (
  deps: Deps,
  call: Call<unknown, { token: string }>,
): Promise<OpenedSession> => {
  const earlier = await answeredBefore<OpenedSession>(deps, call);
  if (earlier !== undefined) return earlier;
  const { projectId, mode } = call.caller;
  const project = await findProject(deps.prisma, projectId);
  if (!project?.sso) throw new Failure("failed_precondition", "SSO is not configured");
  const { issuer } = project.sso;
  const identity = await deps.verifyToken(call.body.token, project.sso);

  return onceOnly(deps, call, async (tx) => {
    const sessionToken = newSecret("sess_");
    const createdAt = deps.clock.now();
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
    const made = await insertSession(tx, {
      projectId,
      mode,
      subject: digestKey(JSON.stringify([issuer, identity.subject]), deps.pepper),
      digest: digestKey(sessionToken, deps.pepper),
      wallet: identity.wallet,
      ssoVersion: project.sso_version,
      createdAt,
      expiresAt,
      used: identity,
    });
    if (!made) throw refuseToken("used");
    exchanges.inc();
    return { sessionToken, expiresAt: expiresAt.toISOString() };
  });
};
