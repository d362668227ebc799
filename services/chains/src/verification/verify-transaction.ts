// Verifies one transaction: from the chain to the transfers that it proves, or to the time of the next verification.
// Providers that fail, lag or disagree only ever delay.
import { NATIVE } from "../providers/domain/transfer.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { assessFinality } from "./assess-finality.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import { delayWhenOverdueMs, delayWhileMissingMs, delayWhilePendingMs } from "./domain/schedule.ts";
import {
  buildFinding,
  type Finding,
  isOverdue,
  type Tracked,
  type Wait,
} from "./domain/transaction.ts";
import { readFromProviders, type TransactionQuery } from "./read-transaction.ts";
import { findReplacement } from "./replacement.ts";
import type { Verifier } from "./verifier.ts";

export async function verifyTransaction(verifier: Verifier, tracked: Tracked): Promise<Finding> {
  const caches = (await verifier.providers.readers()).map(verifier.getHeadCache);
  const query = buildQuery(verifier, tracked);
  const reading = query && (await readFromProviders(caches, query));
  if (query === undefined || reading === undefined)
    return recordMiss(verifier, tracked, "provider");
  const { found, cache } = reading;
  switch (found.kind) {
    case "mined":
      return assessFinality(verifier, tracked, { query, found, cache, caches });
    case "pending":
      return recordPending(verifier, tracked, { cache, ...found });
    case "unsettled":
      return recordMiss(verifier, tracked, "transaction");
    case "missing":
      return handleMissing(verifier, tracked, cache);
  }
}

/** Undefined while a currency is not listed: then its transfers cannot be judged. */
function buildQuery(
  verifier: Verifier,
  { txHash, targets }: Tracked,
): TransactionQuery | undefined {
  const tokens = verifier.tokens();
  const listed = new Set(tokens.keys());
  const areListed = targets.every(({ currency }) => currency === NATIVE || listed.has(currency));
  return areListed ? { txHash, targets, listed } : undefined;
}

function recordMiss({ clock }: Verifier, tracked: Tracked, waitsFor: Wait): Finding {
  const now = clock.now();
  const delayMs = delayWhileMissingMs(tracked.misses);
  const patience = isOverdue(tracked, now) ? delayWhenOverdueMs(delayMs) : delayMs;
  return buildFinding(tracked, {
    waitsFor,
    misses: tracked.misses + 1,
    nextAt: new Date(now.getTime() + patience),
  });
}

/** It is lost where another took its nonce, and where the chain is later than the end of the search. */
async function handleMissing(
  verifier: Verifier,
  tracked: Tracked,
  cache: ChainHeadCache,
): Promise<Finding> {
  const now = verifier.clock.now();
  const { sender } = tracked;
  const replacedBy = sender && (await tryRequest(findReplacement(cache.reader, sender)));
  if (replacedBy !== undefined && replacedBy !== tracked.txHash) {
    return buildFinding(tracked, {
      state: "missing",
      nextAt: now,
      waitsFor: undefined,
      replacedBy,
      giveUpAt: new Date(Math.max(tracked.giveUpAt?.getTime() ?? 0, now.getTime()) + HOUR_MS),
    });
  }
  const { giveUpAt } = tracked;
  if (giveUpAt === undefined || now <= giveUpAt)
    return recordMiss(verifier, tracked, "transaction");
  const head = await tryRequest(cache.reader.block("latest"));
  const isLost = (head?.timestamp ?? 0) * 1_000 >= giveUpAt.getTime();
  return isLost
    ? buildFinding(tracked, { state: "missing", nextAt: now, waitsFor: undefined })
    : recordMiss(verifier, tracked, "transaction");
}

const HOUR_MS = 3_600_000;

async function recordPending(
  { chain, clock }: Verifier,
  tracked: Tracked,
  {
    cache,
    from,
    nonce,
  }: { cache: ChainHeadCache; from: Tracked["targets"][0]["recipient"]; nonce: number },
): Promise<Finding> {
  const head = await tryRequest(cache.reader.block("latest"));
  const now = clock.now();
  const delayMs = delayWhilePendingMs(chain.blockTimeMs);
  const patience = isOverdue(tracked, now) ? delayWhenOverdueMs(delayMs) : delayMs;
  return buildFinding(tracked, {
    waitsFor: "block",
    isSeen: true,
    nextAt: new Date(now.getTime() + patience),
    sender: head ? { address: from, nonce, seenBlock: head.number } : tracked.sender,
    head: head?.number,
  });
}
