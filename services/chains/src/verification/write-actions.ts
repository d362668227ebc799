// Writes the next actions of candidates without a verdict: a retry, or their end.
import { outboxRow } from "@pay/events";
import type { Runtime } from "@pay/process";
import type { Pool } from "pg";
import { isUnprovenEventDue } from "../attribution/domain/candidate.ts";
import { needsAfter, waitsForProof } from "../attribution/domain/evidence.ts";
import { toNeedsEvent, toUnprovenEvent } from "../attribution/observations.ts";
import { abandonedTotal, unprovenInTimeTotal } from "../metrics.ts";
import { abandonCandidates, rescheduleCandidates } from "./storage/due-candidates.ts";
import type { NextAction } from "./verifier.ts";

/** A payment does not expire while its transaction is in a block, so one event is published when that matters. */
function buildUnprovenEvent({ candidate, evidence }: NextAction & { kind: "retry" }, now: Date) {
  const { waitsFor, minedBlock } = evidence ?? {};
  if (minedBlock === undefined || !waitsForProof(waitsFor) || waitsFor === "signature") {
    return undefined;
  }
  if (!isUnprovenEventDue(candidate, now)) return undefined;
  unprovenInTimeTotal.inc({ chain: candidate.chainId });
  return outboxRow(toUnprovenEvent(candidate, minedBlock, now));
}

/** The needs of the hash, where they have changed. */
function toNeeds({ candidate, evidence }: NextAction & { kind: "retry" }) {
  const { waitsFor, paidBy } = evidence ?? {};
  if (waitsFor === undefined) return undefined;
  const needs = needsAfter(candidate.needs, waitsFor);
  return needs === candidate.needs ? undefined : { needs, turn: candidate.needsTurn + 1, paidBy };
}

/** The retry of a candidate with its events. */
function toRetry(action: NextAction & { kind: "retry" }, now: Date) {
  const needs = toNeeds(action);
  const changed = needs && outboxRow(toNeedsEvent(action.candidate, needs, now));
  const events = [buildUnprovenEvent(action, now), changed].filter((event) => event !== undefined);
  return { ...action, nextAt: new Date(now.getTime() + action.delayMs), needs, events };
}

export async function writeActions(
  pool: Pool,
  actions: readonly NextAction[],
  { clock, log }: Runtime,
) {
  const now = clock.now();
  await rescheduleCandidates(
    pool,
    actions.flatMap((action) => (action.kind === "retry" ? toRetry(action, now) : [])),
    now,
  );
  const abandoned = actions.flatMap((action) =>
    action.kind === "abandon" ? action.candidate : [],
  );
  await abandonCandidates(pool, abandoned);
  abandonedTotal.inc(abandoned.length);
  for (const { subjectId, chainId, txHash } of abandoned) {
    log.info({ subjectId, chainId, txHash }, "a hash was abandoned: no provider has found it");
  }
}
