// From a mined transaction to proven transfers: by the chain's finality policy, and only where a second provider, if
// one responds, agrees. A high value or a trace needs the second provider, at the same depth: one alone could report
// too high a head.
import { type PaymentReference, toAmount } from "@pay/values";
import { type Heights, isHighValue, isSettled, type Paid } from "../catalog/domain/finality.ts";
import { chooseCall, readName } from "../providers/domain/call.ts";
import { getKey, NATIVE, type Transfer } from "../providers/domain/transfer.ts";
import { checkAgreement } from "./agreement.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import { delayUntilSettledMs, delayWhenOverdueMs, delayWhileMissingMs } from "./domain/schedule.ts";
import {
  buildFinding,
  type Finding,
  isOverdue,
  isTarget,
  type Proofs,
  type Sender,
  type Tracked,
  targetName,
  type Wait,
} from "./domain/transaction.ts";
import type { Mined, Names, TransactionQuery } from "./read-transaction.ts";
import type { Verifier } from "./verifier.ts";

export interface MinedReading {
  query: TransactionQuery;
  found: Mined;
  cache: ChainHeadCache;
  caches: readonly ChainHeadCache[];
}

export async function assessFinality(
  verifier: Verifier,
  tracked: Tracked,
  reading: MinedReading,
): Promise<Finding> {
  const { query, found } = reading;
  const { chain } = verifier;
  const prices = listPrices(verifier, tracked, found);
  function isDeep(heights: Heights) {
    return prices.every((paid) => isSettled(found.blockNumber, heights, chain.finality, paid));
  }

  const isSenderNeeded = tracked.sender === undefined && !isDeep(found.heights);
  const sender = isSenderNeeded ? findSender(found) : tracked.sender;
  if (!isDeep(found.heights)) return wait(verifier, { tracked, found, sender }, "depth");
  const needsTwo =
    chain.providerUrls.length > 1 && isDemanding(verifier, { tracked, found, prices });
  const agreement = await checkAgreement({
    ...reading,
    query,
    chainId: chain.chainId,
    isEnough: (heights) => !needsTwo || isDeep(heights),
  });
  const { agreeing, contradicting, names } = agreement;
  const seen = { tracked, found, sender, agreeing, contradicting, names };
  if (agreement.kind === "contradicted") return wait(verifier, seen, "agreement");
  if (needsTwo && !agreement.heights.some(isDeep)) return wait(verifier, seen, "agreement");
  const isOpaque = !found.facts.complete && isMissingNative(tracked, found);
  if (isOpaque) return wait(verifier, seen, "trace");
  const now = verifier.clock.now();
  const described = describe(seen, now);
  return found.facts.succeeded
    ? { ...described, state: "proven", proofs: buildProofs(tracked, found) }
    : { ...described, state: "failed" };
}

interface Seen {
  tracked: Tracked;
  found: Mined;
  sender: Sender | undefined;
  agreeing?: number;
  contradicting?: number;
  /** As other providers that agree tell them. */
  names?: readonly Names[];
}

/** Contracts may have moved native coin to a wallet that waits for some and got none. */
function isMissingNative({ targets }: Tracked, { facts }: Mined): boolean {
  return targets.some(
    (target) =>
      target.currency === NATIVE &&
      !facts.transfers.some((transfer) => isTarget([target], transfer)),
  );
}

function wait(verifier: Verifier, seen: Seen, waitsFor: Wait): Finding {
  const { tracked, found } = seen;
  const now = verifier.clock.now();
  const { finality, blockTimeMs } = verifier.chain;
  const at = { blockNumber: found.blockNumber, head: found.heights.head };
  const isWaitingForDepth = waitsFor === "depth";
  const delayMs = isWaitingForDepth
    ? delayUntilSettledMs(at, finality, blockTimeMs)
    : delayWhileMissingMs(tracked.misses);
  const patience = isOverdue(tracked, now) ? delayWhenOverdueMs(delayMs) : delayMs;
  return {
    ...describe(seen, now),
    waitsFor,
    misses: isWaitingForDepth ? 0 : tracked.misses + 1,
    nextAt: new Date(now.getTime() + patience),
  };
}

function describe(seen: Seen, now: Date): Finding {
  const { tracked, found, sender, agreeing, contradicting, names = [] } = seen;
  const { facts, blockNumber, blockHash, heights } = found;
  const place = { blockNumber, blockHash, blockTime: facts.blockTime };
  const told = [facts, ...names];
  const transfers = facts.transfers.filter((transfer) => isTarget(tracked.targets, transfer));
  return buildFinding(tracked, {
    nextAt: now,
    waitsFor: undefined,
    isSeen: true,
    sender,
    block: { number: blockNumber, hash: blockHash, time: facts.blockTime },
    head: heights.head,
    agreeing,
    contradicting,
    transfers: transfers.map((transfer) => ({
      ...transfer,
      ...place,
      reference: findName(told, transfer),
    })),
  });
}

/** The calls inside a transaction are told by providers alone: those that trace must agree. */
function findName(told: readonly Names[], transfer: Transfer): PaymentReference | undefined {
  const call = chooseCall(told.map((names) => names.call));
  const inner = new Set(
    told.flatMap((names) => (names.inner === undefined ? [] : [names.inner.get(getKey(transfer))])),
  );
  const isAgreed = call !== null && inner.size === 1;
  return readName(call, transfer) ?? (isAgreed ? [...inner][0] : undefined);
}

function buildProofs({ targets }: Tracked, { facts, blockHash }: Mined): Proofs {
  return Object.fromEntries(
    targets.map((target) => {
      const isWrongToken = facts.transfers.some(
        ({ recipient, sender }) => recipient === target.recipient && sender !== recipient,
      );
      return [targetName(target), { blockHash, isWrongToken }];
    }),
  );
}

function findSender({ sentBy, blockNumber }: Mined): Sender | undefined {
  return sentBy && { ...sentBy, seenBlock: blockNumber };
}

/** What is at stake: each matching transfer, and what a refund or settlement is to bring. */
function listPrices(
  { chain, tokens }: Verifier,
  { targets, outgoingAmount }: Tracked,
  { facts }: Mined,
): Paid[] {
  const decimals = tokens();
  const matching = facts.transfers.filter((transfer) => isTarget(targets, transfer));
  const paid = matching.map(({ value, currency }) => ({
    baseAmount: value,
    decimals: currency === NATIVE ? chain.nativeDecimals : (decimals.get(currency) ?? 0),
  }));
  const [target] = targets;
  if (paid.length > 0) return paid;
  const unit = target === undefined || target.currency === NATIVE ? undefined : target.currency;
  const least = {
    baseAmount: outgoingAmount ?? toAmount(0n),
    decimals: (unit && decimals.get(unit)) ?? chain.nativeDecimals,
  };
  return [least];
}

/** With several providers, a high value or a traced transfer waits until a second one agrees. */
function isDemanding(
  { chain }: Verifier,
  { tracked, found, prices }: { tracked: Tracked; found: Mined; prices: readonly Paid[] },
): boolean {
  const isTraced = found.facts.transfers.some(
    (transfer) => transfer.kind === "trace" && isTarget(tracked.targets, transfer),
  );
  return isTraced || prices.some((paid) => isHighValue(chain.finality, paid));
}
