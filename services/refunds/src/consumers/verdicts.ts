// The verdicts of the chain, as the consumers of refunds and settlements read them. A verdict that does not match the
// record is not applied.
import {
  type EventType,
  type ObservedTransfer,
  observationsRefused,
  readObservation,
} from "@pay/events";
import type { Event } from "@pay/proto";
import { isId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { findMismatch, isProvenBy, type OutgoingTransfer } from "../domain/verdict.ts";
import { METERS } from "../metrics.ts";
import type { RecordName } from "../storage/cross-tenant.ts";

export const VERDICT_TYPES = [
  "transfer.confirmed",
  "transfer.rejected",
  "transfer.unseen",
] as const satisfies EventType[];
const TYPES: ReadonlySet<string> = new Set(VERDICT_TYPES);

/** Names a record of this service or of another. */
export interface Verdict extends RecordName {
  event: Event;
  seen: ObservedTransfer;
}

export function toVerdicts(events: readonly Event[]): Verdict[] {
  return events.flatMap((event): Verdict[] => {
    if (!TYPES.has(event.type) || event.resource.case !== "observation") return [];
    const { value } = event.resource;
    return [
      {
        event,
        seen: readObservation(event, value),
        resourceId: value.subjectId,
        projectId: event.projectId,
      },
    ];
  });
}

/** Reports a record that its project does not have. Records of other services share the topic. */
export function reportUnknown({ log }: Deps, prefix: "refund" | "stl", verdict: Verdict): void {
  const { event, resourceId } = verdict;
  if (!isId(prefix, resourceId)) return;
  observationsRefused.inc({ consumer: "refunds", field: "project" });
  const ids = { resourceId, eventId: event.id, verdict: event.type };
  log.error(ids, "an observation is about a record that its project does not have");
}

/** Whether the verdict is about the money of the record; reports a mismatch. */
export function isMatching(
  { log }: Deps,
  record: OutgoingTransfer,
  { event, seen, resourceId }: Verdict,
): boolean {
  const field = findMismatch(record, seen);
  if (field === undefined) return true;
  observationsRefused.inc({ consumer: "refunds", field });
  const ids = { resourceId, eventId: event.id, verdict: event.type, field };
  log.error(ids, "an observation does not match its record");
  return false;
}

/** Reports money that an operator has to look at: an excess, or a transfer that no record has. */
export function reportSums(
  { log }: Deps,
  {
    resourceType,
    before,
    after,
    verdict: { seen, resourceId },
  }: {
    resourceType: keyof typeof METERS;
    before: OutgoingTransfer & { status: string };
    /** Undefined where the verdict changes nothing. */
    after: OutgoingTransfer | undefined;
    verdict: Verdict;
  },
): void {
  const { type, txHash, received = 0n } = seen;
  const { overpaid, unapplied } = METERS[resourceType];
  const ids = { resourceType, resourceId, verdict: type, txHash };
  if (after?.held_reason && after.held_reason !== before.held_reason) {
    log.warn({ ...ids, reason: after.held_reason }, "a record is on hold: its money has moved");
  }
  if (after?.completed_at && received > before.base_amount) {
    overpaid.inc();
    log.warn(ids, "a transaction moved more than the amount of its record");
  }
  if (type === "transfer.confirmed" && after === undefined && !isProvenBy(before, txHash)) {
    const { status } = before;
    unapplied.inc({ type, status });
    log.error({ ...ids, status }, "a proof changes nothing of its record");
  }
}
