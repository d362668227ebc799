// From a mined transaction to verdicts: by the chain's finality policy, and only where a second provider, if one
// responds, agrees. A high value or a trace needs the second provider, at the same depth: one alone could report too
// high a head.

import type { Address } from "@pay/values";
import {
  type Candidate,
  isOverdue,
  isUnanswered,
  type Sender,
  signableUntil,
} from "../attribution/domain/candidate.ts";
import { transfersTo } from "../attribution/domain/claim.ts";
import { contest, type Decision } from "../attribution/domain/contest.ts";
import type { Evidence, Wait } from "../attribution/domain/evidence.ts";
import { type Heights, isHighValue, isSettled } from "../catalog/domain/finality.ts";
import { getKey, NATIVE, type Transfer } from "../providers/domain/transfer.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { checkAgreement } from "./agreement.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import { delayUntilSettledMs, delayWhenOverdueMs } from "./domain/schedule.ts";
import { retry, retryUntilSigned, retryWhenMissing } from "./next-action.ts";
import type { Mined, TransactionQuery } from "./read-transaction.ts";
import type { CandidateGroup, NextAction, Verification, Verifier } from "./verifier.ts";

export interface MinedReading {
  query: TransactionQuery;
  found: Mined;
  cache: ChainHeadCache;
  caches: readonly ChainHeadCache[];
}

/** The state of one assessment. */
interface Assessment {
  verifier: Verifier;
  group: CandidateGroup;
  reading: MinedReading;
  now: Date;
  firstSeenAt: Date;
  /** A reorganisation may drop the transaction, and then its sender may replace it. */
  sender: Sender | undefined;
  seen: Evidence;
}

/** The verdicts of a mined transaction. It is never abandoned, however long finality or a second provider takes. */
export async function assessFinality(
  verifier: Verifier,
  group: CandidateGroup,
  reading: MinedReading,
): Promise<Verification> {
  const { found } = reading;
  const now = verifier.clock.now();
  const isSenderKnown = group.every(
    (candidate) => candidate.sender !== undefined || isDeep(verifier, candidate, found),
  );
  const started: Assessment = {
    verifier,
    group,
    reading,
    now,
    firstSeenAt: findEarliest([now, found.facts.blockTime]),
    sender: isSenderKnown ? undefined : await findSender(reading),
    seen: { waitsFor: undefined, minedBlock: found.blockNumber, chainHead: found.heights.head },
  };
  const deep = group.filter((candidate) => isDeep(verifier, candidate, found));
  if (deep.length === 0) return delay(started);
  function isEnough(heights: Heights) {
    return deep.every(
      (one) => !needsTwo(verifier, one, found) || isDeep(verifier, one, found, heights),
    );
  }

  const { chainId } = verifier.chain;
  const agreement = await checkAgreement({ ...reading, chainId, isEnough });
  const { agreeing, contradicting } = agreement;
  const assessment = { ...started, seen: { ...started.seen, agreeing, contradicting } };
  if (agreement.kind === "contradicted") return delay(assessment);
  function isDue(candidate: Candidate) {
    if (!isDeep(verifier, candidate, found)) return false;
    const isAlone = !agreement.heights.some((heights) =>
      isDeep(verifier, candidate, found, heights),
    );
    return !(isAlone && needsTwo(verifier, candidate, found));
  }

  return group.some(isDue) ? judge(assessment, isDue) : delay(assessment);
}

function isDeep(
  verifier: Verifier,
  candidate: Candidate,
  { blockNumber, heights: own }: Mined,
  heights: Heights = own,
) {
  return isSettled(blockNumber, heights, verifier.chain.finality, toPrice(verifier, candidate));
}

/** No verdict yet. */
function delay(assessment: Assessment): Verification {
  const { group, seen } = assessment;
  const actions = group.map((candidate) => waitFor(assessment, candidate, "agreement"));
  return { actions, verdicts: [], evidence: seen };
}

/** `deep` is the reason to wait where the transaction is final. */
function waitFor(
  { verifier, reading: { found }, now, firstSeenAt, sender, seen }: Assessment,
  candidate: Candidate,
  deep: Wait,
): NextAction {
  if (isDeep(verifier, candidate, found)) {
    const evidence = { ...seen, waitsFor: deep };
    return retryWhenMissing(candidate, now, { evidence, firstSeenAt });
  }
  const { finality, blockTimeMs } = verifier.chain;
  const evidence = { ...seen, waitsFor: "depth" as const };
  const at = { blockNumber: found.blockNumber, head: found.heights.head };
  const delayMs = delayUntilSettledMs(at, finality, blockTimeMs);
  const patience = isOverdue(candidate, now) ? delayWhenOverdueMs(delayMs) : delayMs;
  return retry(candidate, {
    delayMs: patience,
    firstSeenAt,
    evidence,
    sender: candidate.sender ?? sender,
  });
}

/** Decides between all claims to the transfers of the transaction. */
async function judge(
  assessment: Assessment,
  isDue: (candidate: Candidate) => boolean,
): Promise<Verification> {
  const { verifier, group, reading, now, firstSeenAt, seen } = assessment;
  const { query, found } = reading;
  const { transfers, blockTime } = found.facts;
  const arrived = transfersTo(group[0].claim, transfers);
  const { claimants, taken, rivals } = await verifier.claimants(group, {
    txHash: query.txHash,
    blockTime,
    values: arrived.map(({ value }) => value),
    senders: [...new Set(transfers.map((transfer) => transfer.sender))],
  });
  const decisions = contest({
    claimants,
    rivals,
    txHash: query.txHash,
    facts: found.facts,
    isDue: (claimant) => isDue(claimant) && !isUnanswered(claimant, now),
    taken: new Set(taken.map(getKey)),
    isOver: (claimant) => now > signableUntil(claimant, verifier.signingMs),
    firstSeenAt: findEarliest([firstSeenAt, ...claimants.flatMap((one) => one.firstSeenAt ?? [])]),
  });
  return {
    seen: { txHash: query.txHash, mined: found },
    verdicts: claimants.flatMap((candidate) => {
      const verdict = decisions.get(candidate.id);
      if (verdict === undefined || isWaiting(verdict)) return [];
      return { candidate, judgedHashes: candidate.judgedHashes, verdict };
    }),
    actions: group.flatMap((candidate) => {
      const outcome = decisions.get(candidate.id)?.outcome;
      if (outcome === "held") {
        const evidence = { ...seen, waitsFor: "signature" as const, ...findOnlySender(arrived) };
        const until = signableUntil(candidate, verifier.signingMs);
        return retryUntilSigned(candidate, { now, until }, { evidence, firstSeenAt });
      }
      if (outcome === "unclear") {
        const evidence = { ...seen, waitsFor: "trace" as const };
        // The hash is not abandoned: another provider may trace the transaction.
        return retryWhenMissing(candidate, now, { evidence });
      }
      if (outcome !== undefined) return [];
      return waitFor(assessment, candidate, isDue(candidate) ? "claim" : "agreement");
    }),
    evidence: seen,
  };
}

async function findSender({ query, found, cache }: MinedReading): Promise<Sender | undefined> {
  const transaction = await tryRequest(cache.reader.transaction(query.txHash));
  if (!transaction) return undefined;
  const { from: address, nonce } = transaction;
  return { address, nonce, seenBlock: found.blockNumber };
}

function isWaiting(decision: Decision): decision is { outcome: "unclear" | "held" } {
  return decision.outcome === "unclear" || decision.outcome === "held";
}

/** The wallet that has to sign, where the transfers have one sender. */
function findOnlySender(arrived: readonly Transfer[]): { paidBy?: Address } {
  const [first, ...others] = new Set(arrived.map(({ sender }) => sender));
  return first === undefined || others.length > 0 ? {} : { paidBy: first };
}

function findEarliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

function toPrice({ chain, tokens }: Verifier, { claim: { baseAmount, currency } }: Candidate) {
  const listed = currency === NATIVE ? undefined : tokens().get(currency);
  return { baseAmount, decimals: listed ?? chain.nativeDecimals };
}

/** With several providers, a high value or a traced transfer waits until a second one agrees. */
function needsTwo(verifier: Verifier, candidate: Candidate, { facts }: Mined): boolean {
  const isTraced = transfersTo(candidate.claim, facts.transfers).some(
    ({ kind }) => kind === "trace",
  );
  return (
    verifier.chain.providerUrls.length > 1 &&
    (isTraced || isHighValue(verifier.chain.finality, toPrice(verifier, candidate)))
  );
}
