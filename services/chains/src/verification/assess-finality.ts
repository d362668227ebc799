// From a mined transaction to verdicts. Nothing is decided before the transaction is final by the chain's policy, and
// then only where a second provider, if one answers, agrees; a high value and a trace need the second provider, which must
// see them as deep as the first does: one that names too high a block would settle what a reorganisation may still drop.

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
import { agreementOn } from "./agreement.ts";
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

/** What is known of the transaction while it is judged. */
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

/**
 * The verdicts of a transaction that is in a block. Such a transaction is never given up, however long its finality or
 * a second provider takes.
 */
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
  const begun: Assessment = {
    verifier,
    group,
    reading,
    now,
    firstSeenAt: earliest([now, found.facts.blockTime]),
    sender: isSenderKnown ? undefined : await findSender(reading),
    seen: { waitsFor: undefined, minedBlock: found.blockNumber, chainHead: found.heights.head },
  };
  const deep = group.filter((candidate) => isDeep(verifier, candidate, found));
  if (deep.length === 0) return later(begun);
  function isEnough(heights: Heights) {
    return deep.every(
      (one) => !needsTwo(verifier, one, found) || isDeep(verifier, one, found, heights),
    );
  }

  const { chainId } = verifier.chain;
  const agreement = await agreementOn({ ...reading, chainId, isEnough });
  const { agreeing, contradicting } = agreement;
  const assessment = { ...begun, seen: { ...begun.seen, agreeing, contradicting } };
  if (agreement.kind === "contradicted") return later(assessment);
  function isDue(candidate: Candidate) {
    if (!isDeep(verifier, candidate, found)) return false;
    const isAlone = !agreement.heights.some((heights) =>
      isDeep(verifier, candidate, found, heights),
    );
    return !(isAlone && needsTwo(verifier, candidate, found));
  }

  return group.some(isDue) ? judge(assessment, isDue) : later(assessment);
}

function isDeep(
  verifier: Verifier,
  candidate: Candidate,
  { blockNumber, heights: own }: Mined,
  heights: Heights = own,
) {
  return isSettled(blockNumber, heights, verifier.chain.finality, paidBy(verifier, candidate));
}

/** No verdict yet. */
function later(assessment: Assessment): Verification {
  const { group, seen } = assessment;
  const actions = group.map((candidate) => wait(assessment, candidate, "agreement"));
  return { actions, verdicts: [], evidence: seen };
}

/** `deep` says what a candidate waits for whose transaction is final. */
function wait(
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

/** Decides between all claims to the money of the transaction. */
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
    firstSeenAt: earliest([firstSeenAt, ...claimants.flatMap((one) => one.firstSeenAt ?? [])]),
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
        const evidence = { ...seen, waitsFor: "signature" as const, ...senderAmong(arrived) };
        const until = signableUntil(candidate, verifier.signingMs);
        return retryUntilSigned(candidate, { now, until }, { evidence, firstSeenAt });
      }
      if (outcome === "unclear") {
        const evidence = { ...seen, waitsFor: "trace" as const };
        // The money may be there, so the hash is not given up: another provider may trace it.
        return retryWhenMissing(candidate, now, { evidence });
      }
      if (outcome !== undefined) return [];
      return wait(assessment, candidate, isDue(candidate) ? "claim" : "agreement");
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

/** The wallet that has to sign, where it is one. */
function senderAmong(arrived: readonly Transfer[]): { paidBy?: Address } {
  const [first, ...others] = new Set(arrived.map(({ sender }) => sender));
  return first === undefined || others.length > 0 ? {} : { paidBy: first };
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

function paidBy({ chain, tokens }: Verifier, { claim: { baseAmount, currency } }: Candidate) {
  const listed = currency === NATIVE ? undefined : tokens().get(currency);
  return { baseAmount, decimals: listed ?? chain.nativeDecimals };
}

/** Where several providers are configured, a high value waits until a second one agrees, and so does what only a trace shows. */
function needsTwo(verifier: Verifier, candidate: Candidate, { facts }: Mined): boolean {
  const isTraced = transfersTo(candidate.claim, facts.transfers).some(
    ({ kind }) => kind === "trace",
  );
  return (
    verifier.chain.providerUrls.length > 1 &&
    (isTraced || isHighValue(verifier.chain.finality, paidBy(verifier, candidate)))
  );
}
