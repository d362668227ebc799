// Verifies one transaction for all candidates of a tenant that wait for it: from the chain to verdicts, or to the
// time of the next verification. Providers that fail, lag or disagree only ever delay.

import type { Address } from "@pay/values";
import {
  type Candidate,
  isGivenUp,
  isOverdue,
  needsVerdict,
} from "../attribution/domain/candidate.ts";
import type { FinalVerdict } from "../attribution/domain/claim.ts";
import type { Evidence } from "../attribution/domain/evidence.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { assessFinality } from "./assess-finality.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import { delayWhenOverdueMs, delayWhilePendingMs } from "./domain/schedule.ts";
import { decideWhenMissing, retry } from "./next-action.ts";
import { readFromProviders, readTransaction, type TransactionQuery } from "./read-transaction.ts";
import { findReplacement } from "./replacement.ts";
import type { CandidateGroup, NextAction, Verification, Verifier } from "./verifier.ts";

export async function verifySubmission(
  verifier: Verifier,
  group: CandidateGroup,
): Promise<Verification> {
  const caches = (await verifier.providers.readers()).map(verifier.getHeadCache);
  const query = buildQuery(group[0], verifier.tokens());
  const reading = query && (await readFromProviders(caches, query));
  if (query === undefined || reading === undefined) return handleMissing(verifier, group, false);
  const { found, cache } = reading;
  switch (found.kind) {
    case "mined":
      return assessFinality(verifier, group, { query, found, cache, caches });
    case "pending":
      return recordPending(verifier, group, cache.reader, found);
    case "unsettled":
      return handleMissing(verifier, group, false);
    case "missing":
      return (
        (await verifyReplacement(verifier, group, caches)) ?? handleUnknown(verifier, group, cache)
      );
  }
}

const NOTHING_SEEN: Evidence = { waitsFor: undefined };

/** Undefined while the currency is not listed: then its transfers cannot be judged. */
function buildQuery(
  { txHash, claim: { recipient, currency } }: Pick<Candidate, "txHash" | "claim">,
  tokens: ReadonlyMap<Address, number>,
): TransactionQuery | undefined {
  return currency === NATIVE || tokens.has(currency)
    ? { txHash, recipient, currency, listed: new Set(tokens.keys()) }
    : undefined;
}

function handleMissing(
  { clock }: Verifier,
  group: CandidateGroup,
  hasResponse: boolean,
): Verification {
  const now = clock.now();
  return {
    actions: group.map((candidate) => decideWhenMissing(candidate, now, hasResponse)),
    verdicts: [],
    evidence: NOTHING_SEEN,
  };
}

/**
 * A hash that needs a verdict is lost where a provider does not have it and its head is later than the end of the
 * wait.
 */
async function handleUnknown(
  verifier: Verifier,
  group: CandidateGroup,
  cache: ChainHeadCache,
): Promise<Verification> {
  const now = verifier.clock.now();
  function isLost(candidate: Candidate) {
    return needsVerdict(candidate) && isOverdue(candidate, now);
  }

  if (!group.some(isLost)) return handleMissing(verifier, group, true);
  const head = await tryRequest(cache.reader.block("latest"));
  const headAt = (head?.timestamp ?? 0) * 1_000;
  const lost = group.filter(
    (candidate) => isLost(candidate) && candidate.giveUpAt.getTime() <= headAt,
  );
  function toVerdict({ reorgedAt }: Candidate): FinalVerdict {
    return { outcome: "refuted", reason: reorgedAt === undefined ? "not_found" : "reorged" };
  }

  return {
    actions: group.flatMap((one) => (lost.includes(one) ? [] : decideWhenMissing(one, now, true))),
    verdicts: lost.map((candidate) => ({
      candidate,
      judgedHashes: undefined,
      verdict: toVerdict(candidate),
    })),
    evidence: NOTHING_SEEN,
  };
}

async function recordPending(
  { chain, clock }: Verifier,
  group: CandidateGroup,
  reader: Reader,
  { from, nonce }: { from: Address; nonce: number },
): Promise<Verification> {
  const head = await tryRequest(reader.block("latest"));
  const now = clock.now();
  const delayMs = delayWhilePendingMs(chain.blockTimeMs);
  const actions = group.map((candidate): NextAction => {
    if (isGivenUp(candidate, now, true)) return { kind: "abandon", candidate };
    return retry(candidate, {
      delayMs: isOverdue(candidate, now) ? delayWhenOverdueMs(delayMs) : delayMs,
      sender: head ? { address: from, nonce, seenBlock: head.number } : candidate.sender,
      firstSeenAt: now,
      evidence: { waitsFor: "block", ...(head && { chainHead: head.number }) },
    });
  });
  return { actions, verdicts: [], evidence: NOTHING_SEEN };
}

/** The verification of the transaction that replaced a hash seen before; undefined while there is none. */
async function verifyReplacement(
  verifier: Verifier,
  group: CandidateGroup,
  caches: readonly ChainHeadCache[],
): Promise<Verification | undefined> {
  const sender = group.find((candidate) => candidate.sender)?.sender;
  if (sender === undefined) return undefined;
  for (const cache of caches) {
    const txHash = await tryRequest(findReplacement(cache.reader, sender));
    if (txHash === undefined || txHash === group[0].txHash) continue;
    const query = buildQuery({ ...group[0], txHash }, verifier.tokens());
    const found = query && (await tryRequest(readTransaction(cache, query)));
    if (query === undefined || found?.kind !== "mined") continue;
    return assessFinality(verifier, group, { query, found, cache, caches });
  }
  return undefined;
}
