// The verdicts of one transaction as they are written, with their events and transfers.
import { outboxRow } from "@pay/events";
import { transfersTo } from "../attribution/domain/claim.ts";
import { toVerdictEvent } from "../attribution/observations.ts";
import type { VerdictBatch } from "../attribution/storage/verdicts.ts";
import type { CandidateVerdict, Verification } from "./verifier.ts";

export function toBatch({ verdicts, seen, evidence }: Verification, now: Date): VerdictBatch {
  const [first] = verdicts;
  const place = seen && {
    blockNumber: seen.mined.blockNumber,
    blockHash: seen.mined.blockHash,
    blockTime: seen.mined.facts.blockTime,
  };
  const sighting = seen && place && { txHash: seen.txHash, ...place };
  const matching =
    seen && first ? transfersTo(first.candidate.claim, seen.mined.facts.transfers) : [];
  return {
    txHash: seen?.txHash,
    verdicts: verdicts.map((one) => ({
      ...one,
      event: isPublished(one)
        ? outboxRow(toVerdictEvent(one.candidate, one.verdict, { seen: sighting, at: now }))
        : undefined,
    })),
    facts: place ? matching.map((transfer) => ({ ...transfer, ...place })) : [],
    judgedAt: now,
    evidence,
  };
}

/**
 * A found hash that does not pay fails nothing, so it is not published, unless it had confirmed its payment or needed a
 * person. Late money is always published.
 */
function isPublished({ candidate, verdict }: CandidateVerdict): boolean {
  const { found, reorgedAt, needs } = candidate;
  if (!found || reorgedAt !== undefined || needs !== undefined) return true;
  return verdict.outcome !== "refuted" || verdict.reason === "late";
}
