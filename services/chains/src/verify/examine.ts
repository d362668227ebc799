// One look at one candidate, from the chain to a verdict or to the time of the next look. Nothing is decided
// before the transaction is settled by the chain's policy, and then only on what a second provider, where one
// answers, says as well. Providers that fail, lag or disagree only ever delay.
import type { Clock } from "@pay/process";
import type { ConfiguredChain } from "../catalog/configured.ts";
import { type Candidate, isGivenUp, type Sender } from "../domain/candidate.ts";
import { isSettled } from "../domain/finality.ts";
import { type Finding, judge, type Surroundings } from "../domain/judge.ts";
import {
  delayUntilSettledMs,
  delayWhileMissingMs,
  delayWhilePendingMs,
} from "../domain/schedule.ts";
import { NATIVE } from "../domain/transfer.ts";
import type { Providers } from "../rpc/providers.ts";
import type { Reader } from "../rpc/reader.ts";
import { answered, look, lookAmong, type Mined, type Wanted } from "./look.ts";
import { findReplacement } from "./replacement.ts";
import type { View } from "./view.ts";

export interface Examiner {
  chain: ConfiguredChain;
  providers: Providers;
  viewOf(reader: Reader): View;
  /** Decimals of the listed tokens by lower case address. */
  tokens(): ReadonlyMap<string, number>;
  surroundings(candidate: Candidate, txHash: string): Promise<Surroundings>;
  clock: Clock;
}

export type Step =
  | {
      kind: "verdict";
      finding: Exclude<Finding, { outcome: "unclear" }>;
      txHash: string;
      mined: Mined;
    }
  | { kind: "again"; delayMs: number; misses: number; sender: Sender | undefined }
  | { kind: "abandon" };

export const examine = async (examiner: Examiner, candidate: Candidate): Promise<Step> => {
  const views = (await examiner.providers.readers()).map(examiner.viewOf);
  const wanted = wantedBy(candidate, examiner.tokens());
  const seen = wanted && (await lookAmong(views, wanted));
  if (wanted === undefined || seen === undefined) return missed(examiner, candidate, false);
  const { found, view } = seen;
  switch (found.kind) {
    case "mined":
      return weigh(examiner, candidate, { wanted, found, view, views });
    case "pending":
      return remember(examiner, candidate, view.reader, found);
    case "unsettled":
      return missed(examiner, candidate, false);
    case "missing":
      return (await replaced(examiner, candidate, views)) ?? missed(examiner, candidate, true);
  }
};

/** Undefined while the currency is not known to be listed: then nothing can be said of its transfers. */
const wantedBy = (
  { txHash, claim: { recipient, currency } }: Candidate,
  tokens: ReadonlyMap<string, number>,
): Wanted | undefined =>
  currency === NATIVE || tokens.has(currency)
    ? { txHash, recipient, currency, listed: new Set(tokens.keys()) }
    : undefined;

const missed = ({ clock }: Examiner, candidate: Candidate, anybodyAnswered: boolean): Step => {
  if (isGivenUp(candidate, clock.now(), anybodyAnswered)) return { kind: "abandon" };
  const { misses, sender } = candidate;
  return { kind: "again", delayMs: delayWhileMissingMs(misses), misses: misses + 1, sender };
};

const remember = async (
  { chain, clock }: Examiner,
  candidate: Candidate,
  reader: Reader,
  { from, nonce }: { from: string; nonce: number },
): Promise<Step> => {
  if (isGivenUp(candidate, clock.now(), true)) return { kind: "abandon" };
  const head = await answered(reader.block("latest"));
  const sender = head ? { address: from, nonce, seenBlock: head.number } : candidate.sender;
  return { kind: "again", delayMs: delayWhilePendingMs(chain.blockTimeMs), misses: 0, sender };
};

interface Sight {
  wanted: Wanted;
  found: Mined;
  view: View;
  views: readonly View[];
}

const weigh = async (examiner: Examiner, candidate: Candidate, sight: Sight): Promise<Step> => {
  const { chain } = examiner;
  const { found, wanted } = sight;
  const { blockNumber, heights } = found;
  const decimals = examiner.tokens().get(candidate.claim.currency) ?? chain.nativeDecimals;
  const paid = { baseAmount: candidate.claim.baseAmount, decimals };
  if (!isSettled(blockNumber, heights, chain.finality, paid)) {
    const at = { blockNumber, head: heights.head };
    const delayMs = delayUntilSettledMs(at, chain.finality, chain.blockTimeMs);
    return { kind: "again", delayMs, misses: 0, sender: candidate.sender };
  }
  if (!(await othersAgree(sight))) return missed(examiner, candidate, false);
  const around = await examiner.surroundings(candidate, wanted.txHash);
  const finding = judge(candidate.claim, found.facts, around);
  if (finding.outcome === "unclear") return missed(examiner, candidate, true);
  return { kind: "verdict", finding, txHash: wanted.txHash, mined: found };
};

/** Asks until one other provider answers. Where none does, the first one's word must do. */
const othersAgree = async ({ wanted, found, view, views }: Sight): Promise<boolean> => {
  for (const other of views) {
    if (other === view) continue;
    const second = await answered(look(other, wanted));
    if (second !== undefined) return second.kind === "mined" && isSame(found, second);
  }
  return true;
};

const isSame = (a: Mined, b: Mined): boolean =>
  a.blockHash === b.blockHash &&
  a.facts.succeeded === b.facts.succeeded &&
  a.facts.blockTime.getTime() === b.facts.blockTime.getTime() &&
  (!b.facts.complete || spelled(a.facts.transfers) === spelled(b.facts.transfers));

const spelled = (transfers: Mined["facts"]["transfers"]): string =>
  JSON.stringify(transfers, (_, value) => (typeof value === "bigint" ? `${value}` : value));

/** What took the place of a hash that was seen before and is unknown now; undefined while nothing has. */
const replaced = async (
  examiner: Examiner,
  candidate: Candidate,
  views: readonly View[],
): Promise<Step | undefined> => {
  const { sender } = candidate;
  if (sender === undefined) return undefined;
  for (const view of views) {
    const txHash = await answered(findReplacement(view.reader, sender));
    if (txHash === undefined || txHash === candidate.txHash) continue;
    const wanted = wantedBy({ ...candidate, txHash }, examiner.tokens());
    const found = wanted && (await answered(look(view, wanted)));
    if (wanted === undefined || found?.kind !== "mined") continue;
    const step = await weigh(examiner, candidate, { wanted, found, view, views });
    return step.kind === "verdict" ? orReplaced(step) : step;
  }
  return undefined;
};

/** Another transaction of the same sender that does not pay says nothing about why it does not: it is another. */
const orReplaced = (step: Extract<Step, { kind: "verdict" }>): Step =>
  step.finding.outcome === "proven"
    ? step
    : { ...step, finding: { outcome: "refuted", reason: "replaced" } };
