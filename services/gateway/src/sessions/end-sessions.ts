import type { Clock } from "@pay/process";
import type { Pool } from "pg";
import type { AuditTrail } from "../audit/trail.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { removeSessions } from "../generated/sql.ts";
import { writeOnce } from "../idempotency/own-write.ts";
import type { RepeatableCall } from "../idempotency/repeatable-call.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import type { Caller } from "../keys/caller.ts";
import type { Peppers } from "../keys/pepper.ts";
import { findProject } from "../projects/storage.ts";
import { subjectDigests } from "./storage.ts";

interface Needed {
  pool: Pool;
  prisma: PrismaClient;
  sealedResponses: SealedResponses;
  peppers: Peppers;
  clock: Clock;
}

type SubjectsCall = RepeatableCall & {
  caller: Caller;
  body: { subject: string };
  audit: Pick<AuditTrail, "record">;
};

/**
 * Ends all sessions of a subject of the project's issuer. Sessions are looked up at every use, so this takes effect on
 * every replica at once. Sessions of an earlier issuer ended when the issuer was changed.
 */
export async function endSessions(deps: Needed, call: SubjectsCall): Promise<{ revoked: number }> {
  const { projectId, mode } = call.caller;
  // Read before the transaction: a call that asks for a second connection while it has one waits for calls that do
  // the same.
  const sso = (await findProject(deps.prisma, projectId))?.sso;
  return writeOnce(deps, call, async (tx) => {
    if (!sso) return { revoked: 0 };
    const subjects = subjectDigests(sso.issuer, call.body.subject, deps.peppers);
    const now = deps.clock.now();
    const [removed] = await removeSessions(tx, { projectId, mode, subjects, now });
    await call.audit.record(tx, { targetId: null, changes: { subject: {} } });
    return { revoked: removed?.active ?? 0 };
  });
}
