// Signs transfers again that cannot come into a block for their fee: the same nonce, and more for the gas. Any of the
// transactions of a nonce may be mined, and only one.

import { bumpsTotal } from "../metrics.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { broadcast, type Outcome } from "./broadcast.ts";
import { bumpedFees, type Market } from "./domain/fees.ts";
import { findLatest, isBumpDue, SIGNED_AT_ONCE_MAX, type SignedIntent } from "./domain/intent.ts";
import { signAll, type Unsigned } from "./sign-all.ts";
import type { Signature } from "./signer.ts";
import { addTransaction, type Signing } from "./storage/signed-transactions.ts";
import { readMarket } from "./wallet.ts";
import type { WalletRound } from "./wallet-round.ts";

interface Seen {
  /** Transactions of the wallet that are mined. */
  count: number;
  /** What providers have just said of latest transactions, by hash. */
  outcomes: ReadonlyMap<string, Outcome>;
  now: Date;
}

/**
 * Of the next nonce, and of all later ones that the price has left behind: one after the other, each would wait for the
 * block of the one before it. Answers those for which the operator allows no more.
 */
export async function raiseFees(
  round: WalletRound,
  intents: readonly SignedIntent[],
  seen: Seen,
): Promise<ReadonlySet<SignedIntent>> {
  const { readers, signer, chain, log } = round;
  const due = intents.filter((intent) => isDue(round, intent, seen));
  const market = due.length === 0 ? undefined : (await tryRequest(readMarket(readers[0])))?.market;
  if (market === undefined) return new Set();
  const bounded = new Set<SignedIntent>();
  const raised = due
    .filter((intent) => intent.nonce === seen.count || isLeftBehind(intent, market))
    .flatMap((intent): Unsigned<SignedIntent>[] => {
      const { nonce, gasLimit } = intent;
      const fees = bumpedFees(findLatest(intent).fees, market, signer.policy.maxFeePerGas);
      if (fees !== undefined) return [{ intent, nonce, gasLimit, fees }];
      bounded.add(intent);
      return [];
    });
  const { signings, fault } = await signAll(signer, raised.slice(0, SIGNED_AT_ONCE_MAX));
  if (fault !== undefined) {
    log.warn({ chainId: chain.chainId, err: fault }, "a signer does not sign");
  }
  await send(round, signings, seen.now);
  return bounded;
}

/** One that no provider has taken needs a higher fee only where they say so. */
function isDue(
  { chain }: WalletRound,
  intent: SignedIntent,
  { count, outcomes, now }: Seen,
): boolean {
  const latest = findLatest(intent);
  const isOffered = latest.sentAt !== undefined || outcomes.get(latest.txHash) === "underpriced";
  return isOffered && intent.nonce >= count && isBumpDue(latest, now, chain.blockTimeMs);
}

function isLeftBehind(intent: SignedIntent, { baseFee }: Market): boolean {
  return findLatest(intent).fees.maxFee < baseFee;
}

async function send(round: WalletRound, signings: readonly Signing<SignedIntent>[], now: Date) {
  const { pool, chain } = round;
  const stored: Signature[] = [];
  for (const { intent, fees, signature } of signings) {
    if (await addTransaction(pool, { intent, fees, signature, now })) stored.push(signature);
  }
  if (stored.length === 0) return;
  bumpsTotal.inc({ chain: chain.chainId }, stored.length);
  await broadcast(round, stored);
}
