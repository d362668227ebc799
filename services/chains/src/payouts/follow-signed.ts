// Follows signed intents: mined, due to be sent again, due for a higher fee, or replaced by another transaction of the
// wallet.

import type { TxHash } from "@pay/values";
import { isSettled } from "../catalog/domain/finality.ts";
import { intentsEndedTotal } from "../metrics.ts";
import type { Receipt } from "../providers/decode.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { findReplacement } from "../verification/replacement.ts";
import { broadcast, type Outcome } from "./broadcast.ts";
import {
  findLatest,
  type HeldReason,
  isDeep,
  isSendDue,
  lookDelayMs,
  type SignedIntent,
  verdictDelayMs,
} from "./domain/intent.ts";
import { endIntent, freezeWallet } from "./fail-intent.ts";
import { raiseFees } from "./raise-fees.ts";
import { resolveAuthorization } from "./resolve-authorization.ts";
import { type MinedAuthorization, markAuthorizationsMined } from "./storage/authorizations.ts";
import {
  completeIntents,
  type Later,
  type Mined,
  markMined,
  markUnmined,
  rescheduleIntents,
} from "./storage/intent-moves.ts";
import { leaseSigned } from "./storage/intents.ts";
import { LEASE_MS, type WalletRound } from "./wallet-round.ts";

const LEASED_MAX = 128;
/** A proven transaction is looked at until its block is deep. */
const PROVEN_MS = 15_000;

/** Milliseconds until the next look; 0 where there is more to look at now, undefined where nothing is open. */
export async function followSigned(round: WalletRound): Promise<number | undefined> {
  const { pool, clock, signer } = round;
  const { chainId, address } = signer;
  const lease = { chainId, address, now: clock.now(), leaseMs: LEASE_MS, max: LEASED_MAX };
  // Those that are not mined first: however many wait for their verdict, nonces go on.
  const unmined = await leaseSigned(pool, lease, { isMined: false });
  const intents = [...unmined, ...(await leaseSigned(pool, lease, { isMined: true }))];
  if (intents.length === 0) return undefined;
  // Before the receipts: a block that comes in between shows a receipt for each nonce that it uses.
  const count = (await tryRequest(round.readers[0].transactionCount(address, "latest"))) ?? 0;
  const receipts = await findReceipts(round.readers, intents);
  const mined = intents.filter((intent) => fetchReceipt(intent, receipts) !== undefined);
  const open = intents.filter((intent) => !mined.includes(intent));
  const isAuthorization = ({ kind }: SignedIntent) => kind === "authorization";
  await followMined(
    round,
    mined.filter((intent) => !isAuthorization(intent)),
    receipts,
  );
  await followSpent(round, mined.filter(isAuthorization), receipts);
  const delayMs = await followOpen(round, open, count);
  return unmined.length < LEASED_MAX ? delayMs : 0;
}

type Receipts = ReadonlyMap<string, Receipt>;

function fetchReceipt({ transactions }: SignedIntent, receipts: Receipts): Receipt | undefined {
  return transactions.flatMap(({ txHash }) => receipts.get(txHash) ?? [])[0];
}

/** A provider without a transaction may lag, so missing receipts are requested from the others. */
async function findReceipts(
  readers: readonly Reader[],
  intents: readonly SignedIntent[],
): Promise<Receipts> {
  const found = new Map<string, Receipt>();
  for (const reader of readers) {
    const missing = intents.filter((intent) => fetchReceipt(intent, found) === undefined);
    if (missing.length === 0) break;
    const hashes = missing.flatMap(({ transactions }) => transactions.map((one) => one.txHash));
    for (const receipt of (await tryRequest(reader.receipts(hashes))) ?? []) {
      if (receipt !== null) found.set(receipt.transactionHash, receipt);
    }
  }
  return found;
}

async function followMined(
  round: WalletRound,
  intents: readonly SignedIntent[],
  receipts: Receipts,
): Promise<void> {
  const { pool, clock, chain, readers, onMined } = round;
  if (intents.length === 0) return;
  const now = clock.now();
  const head = (await tryRequest(readers[0].block("latest")))?.number ?? 0;
  const arrived: Mined[] = [];
  const done: SignedIntent[] = [];
  const after: Later[] = [];
  for (const intent of intents) {
    const receipt = fetchReceipt(intent, receipts) as Receipt;
    const { transactionHash: txHash, blockNumber: block, status } = receipt;
    if (intent.minedTxHash !== txHash) {
      // Also where it was proven before: its block left the chain, and it came back in another one.
      arrived.push({ intent, txHash, block, nextAt: verdictAt(intent, now) });
    } else if (intent.kind === "sweep") {
      // Whatever came of it: what is still at the addresses is swept by another one.
      const isDone = isDeep({ minedBlock: block, head }, chain.finality.confirmations);
      if (isDone) done.push(intent);
      else after.push({ intent, heldReason: undefined, nextAt: inMs(now, PROVEN_MS) });
    } else if (intent.refuted.has(txHash) && status === "0x0") {
      await endIntent(round, intent, { from: "signed", reason: "reverted" });
    } else if (intent.refuted.has(txHash)) {
      // It may have moved money, so it never fails by itself: the amount must not be sent a second time.
      after.push({ intent, heldReason: "refused", nextAt: inMs(now, PROVEN_MS) });
    } else if (intent.proven.has(txHash)) {
      const isDone = isDeep({ minedBlock: block, head }, chain.finality.confirmations);
      if (isDone) done.push(intent);
      else after.push({ intent, heldReason: undefined, nextAt: inMs(now, PROVEN_MS) });
    } else {
      after.push({ intent, heldReason: undefined, nextAt: verdictAt(intent, now) });
    }
  }
  await markMined(pool, arrived, now);
  await completeIntents(pool, done, now);
  intentsEndedTotal.inc({ chain: chain.chainId, outcome: "completed" }, done.length);
  await rescheduleIntents(pool, after);
  if (arrived.length > 0) onMined();
}

/** The transfer of an authorization is a payer's: it is verified for its payment, not as money that is sent here. */
async function followSpent(
  round: WalletRound,
  intents: readonly SignedIntent[],
  receipts: Receipts,
): Promise<void> {
  const { pool, clock, chain, readers, readHeights } = round;
  if (intents.length === 0) return;
  const now = clock.now();
  const heights = await tryRequest(readHeights(readers[0]));
  const arrived: MinedAuthorization[] = [];
  const done: SignedIntent[] = [];
  const after: Later[] = [];
  for (const intent of intents) {
    const receipt = fetchReceipt(intent, receipts) as Receipt;
    const { transactionHash: txHash, blockNumber: block } = receipt;
    const isSpent = receipt.status === "0x1";
    const nextAt = verdictAt(intent, now);
    if (intent.minedTxHash !== txHash) arrived.push({ intent, txHash, block, isSpent, nextAt });
    else if (heights === undefined || !isSettled(block, heights, chain.finality, intent))
      after.push({ intent, heldReason: undefined, nextAt });
    else if (isSpent) done.push(intent);
    else await resolveAuthorization(round, intent, { from: "signed", isReverted: true });
  }
  await markAuthorizationsMined(pool, arrived, now);
  await completeIntents(pool, done, now);
  intentsEndedTotal.inc({ chain: chain.chainId, outcome: "completed" }, done.length);
  await rescheduleIntents(pool, after);
}

async function followOpen(
  round: WalletRound,
  intents: readonly SignedIntent[],
  /** Nonces of the wallet that were used before the receipts were looked for. */
  count: number,
): Promise<number | undefined> {
  const { pool, clock, chain, log } = round;
  const [lowest] = intents;
  if (lowest === undefined) return undefined;
  const now = clock.now();
  const gone = intents.filter(({ minedTxHash }) => minedTxHash !== undefined);
  const subjectIds = gone.map(({ subjectId }) => subjectId);
  await markUnmined(pool, gone);
  if (gone.length > 0) {
    log.warn({ chainId: chain.chainId, subjectIds }, "transfers left the chain and are sent again");
  }
  const stillOpen: SignedIntent[] = [];
  for (const intent of intents) {
    const isUsed = intent.nonce < count;
    if (!(isUsed && (await endReplaced(round, intent)))) stillOpen.push(intent);
  }
  const outcomes = await rebroadcast(round, stillOpen, now);
  const bounded = await raiseFees(round, stillOpen, { count, outcomes, now });
  const delays = stillOpen.map((one) => lookDelayMs(findLatest(one), now, chain.blockTimeMs));
  await rescheduleIntents(
    pool,
    stillOpen.map((intent, at): Later => {
      const nextAt = inMs(now, delays[at] ?? 0);
      const outcome = outcomes.get(findLatest(intent).txHash);
      const kept = outcome === undefined ? (intent.heldReason as HeldReason) : undefined;
      const heldReason = bounded.has(intent) ? "fee" : kept;
      return { intent, heldReason: outcome === "no_funds" ? "funds" : heldReason, nextAt };
    }),
  );
  return Math.min(...delays);
}

function verdictAt(intent: SignedIntent, now: Date): Date {
  return inMs(now, verdictDelayMs(findLatest(intent), now));
}

function inMs(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

async function rebroadcast(
  round: WalletRound,
  intents: readonly SignedIntent[],
  now: Date,
): Promise<ReadonlyMap<string, Outcome>> {
  const due = intents
    .filter((intent) => intent.minedTxHash !== undefined || isSendDue(findLatest(intent), now))
    .map(findLatest);
  return due.length === 0 ? new Map() : broadcast(round, due);
}

/**
 * The nonce is used, and no provider has a receipt of ours. The intent ends only once another transaction of the nonce
 * is final and a second provider confirms it: the signed bytes stay valid where one provider lies. True where it ended.
 */
async function endReplaced(round: WalletRound, intent: SignedIntent): Promise<boolean> {
  const { readers, signer, chain, readHeights } = round;
  const [reader] = readers;
  const { nonce, signedBlock: seenBlock, baseAmount, decimals } = intent;
  const heights = await tryRequest(readHeights(reader));
  const place = { address: signer.address, nonce, seenBlock };
  const hash = await tryRequest(findReplacement(reader, place));
  if (heights === undefined || hash === undefined) return false;
  if (intent.transactions.some(({ txHash }) => txHash === hash)) return false;
  await freezeWallet(round, `nonce ${nonce} was used by a transaction that no intent holds`);
  const receipt = await tryRequest(reader.receipt(hash));
  if (!receipt || receipt.from !== signer.address) return false;
  const paid = { baseAmount, decimals };
  if (!isSettled(receipt.blockNumber, heights, chain.finality, paid)) return false;
  if (!(await isWitnessed(round, { hash, nonce, blockHash: receipt.blockHash }))) return false;
  await endIntent(round, intent, { from: "signed", reason: "nonce_used" });
  return true;
}

/** Whether a second provider, where there is one, shows the transaction in the same block, and none denies it. */
async function isWitnessed(
  { readers, providers, signer }: WalletRound,
  { hash, nonce, blockHash }: { hash: TxHash; nonce: number; blockHash: string },
): Promise<boolean> {
  const [, ...others] = readers;
  const seen = await Promise.all(others.map((other) => tryRequest(other.transaction(hash))));
  const answers = seen.filter((one) => one !== undefined);
  const isSame = answers.every(
    (one) => one?.from === signer.address && one.nonce === nonce && one.blockHash === blockHash,
  );
  return isSame && (answers.length > 0 || providers.configured === 1);
}
