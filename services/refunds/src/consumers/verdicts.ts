// The chain's verdicts, as the consumers of refunds and of settlements read them. A verdict that does not fit the record
// is not applied.
import {
  type EventType,
  type ObservedTransfer,
  observationsRefused,
  readObservation,
} from "@pay/events";
import type { Event } from "@pay/proto";
import { isId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { type Claimed, isProvenBy, mismatch } from "../domain/verdict.ts";
import { METERS } from "../metrics.ts";

export const VERDICT_TYPES = [
  "transfer.confirmed",
  "transfer.rejected",
  "transfer.surplus",
] as const satisfies EventType[];
const TYPES: ReadonlySet<string> = new Set(VERDICT_TYPES);

export interface Verdict {
  event: Event;
  seen: ObservedTransfer;
  /** The record it is about, of this service or of another. */
  id: string;
  projectId: string;
}

export function toVerdicts(events: readonly Event[]): Verdict[] {
  return events.flatMap((event): Verdict[] => {
    if (!TYPES.has(event.type) || event.resource.case !== "observation") return [];
    const { value } = event.resource;
    return [
      {
        event,
        seen: readObservation(event, value),
        id: value.subjectId,
        projectId: event.projectId,
      },
    ];
  });
}

/** Subjects of other services share the topic; a record that its project does not have is refused. */
export function reportUnknown({ log }: Deps, prefix: "refund" | "stl", verdict: Verdict): void {
  const { event, id } = verdict;
  if (!isId(prefix, id)) return;
  observationsRefused.inc({ consumer: "refunds", field: "project" });
  const ids = { subjectId: id, eventId: event.id, verdict: event.type };
  log.error(ids, "an observation names no record of its project");
}

/** Whether the verdict is about what the record asks for; reports to the operator where it is not. */
export function fits({ log }: Deps, claimed: Claimed, { event, seen, id }: Verdict): boolean {
  const field = mismatch(claimed, seen);
  if (field === undefined) return true;
  observationsRefused.inc({ consumer: "refunds", field });
  const ids = { subjectId: id, eventId: event.id, verdict: event.type, field };
  log.error(ids, "an observation does not fit its record");
  return false;
}

/** Reports money that an operator has to look at: too much was sent, or no record has it. */
export function reportSums(
  { log }: Deps,
  {
    noun,
    before,
    after,
    verdict: { seen, id },
  }: {
    noun: keyof typeof METERS;
    before: Claimed & { status: string };
    /** Undefined where the verdict changes nothing. */
    after: Claimed | undefined;
    verdict: Verdict;
  },
): void {
  const { type, txHash, received = 0n } = seen;
  const { overpaid, unapplied } = METERS[noun];
  const ids = { subjectId: id, verdict: type, txHash };
  if (after?.held_reason && after.held_reason !== before.held_reason) {
    const { held_reason: reason } = after;
    log.warn({ ...ids, reason }, `a ${noun} waits although a transaction has moved its money`);
  }
  if (type === "transfer.surplus" || (after?.completed_at && received > before.base_amount)) {
    overpaid.inc();
    log.warn(ids, `a transaction moved more than the amount of its ${noun}`);
  }
  if (type === "transfer.confirmed" && after === undefined && !isProvenBy(before, txHash)) {
    const { status } = before;
    unapplied.inc({ type, status });
    log.error({ ...ids, status }, `a proof changes nothing of its ${noun}`);
  }
}
