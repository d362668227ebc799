// Signs waiting intents: the policy decides, the transfer is tried, the funds are counted, and then nonces, intents and
// signed bytes are stored together. Only stored bytes are sent.

import { type Amount, type Currency, sumAmounts, ZERO_AMOUNT } from "@pay/values";
import { signaturesTotal } from "../metrics.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { type Broadcast, broadcast } from "./broadcast.ts";
import { firstFees } from "./domain/fees.ts";
import { getSpent, type HeldReason, type Intent, SIGNED_AT_ONCE_MAX } from "./domain/intent.ts";
import { goesToPayer, heldBy } from "./domain/signing-policy.ts";
import { endIntent, freezeWallet } from "./fail-intent.ts";
import { tryTransfers } from "./preflight.ts";
import { resolveAuthorization } from "./resolve-authorization.ts";
import { type Payable, signAll } from "./sign-all.ts";
import { findAuthorizations } from "./storage/authorizations.ts";
import { rescheduleIntents } from "./storage/intent-moves.ts";
import { countInFlight, leaseWaiting } from "./storage/intents.ts";
import { payerKey, sumRefundable } from "./storage/refundable.ts";
import { writeSigned } from "./storage/signed-transactions.ts";
import { findSigner, type SignerState } from "./storage/signers.ts";
import { sweepFor } from "./sweeps.ts";
import { readWallet, type WalletView } from "./wallet.ts";
import { LEASE_MS, type WalletRound } from "./wallet-round.ts";

/** Until a held intent is looked at again. */
const HELD_MS = 5_000;
const AGAIN_MS = 500;

interface Wallet extends WalletView {
  state: SignerState;
}

/** Answers how many it has signed. */
export async function signWaiting(round: WalletRound): Promise<number> {
  const { pool, clock, signer } = round;
  const { chainId, address } = signer;
  const free = signer.inFlightMax - (await countInFlight(pool, signer));
  const max = Math.min(free, SIGNED_AT_ONCE_MAX);
  if (max <= 0) return 0;
  const lease = { chainId, address, now: clock.now(), leaseMs: LEASE_MS, max };
  const waiting = await leaseWaiting(pool, lease);
  if (waiting.length === 0) return 0;
  const wallet = await findWallet(round, waiting);
  if (wallet === undefined) return postpone(round, waiting);
  if (wallet.state.isFrozen) return holdIntents(round, waiting, "frozen");
  const room = Math.max(signer.inFlightMax - wallet.state.inFlight.count, 0);
  await postpone(round, waiting.slice(room));
  const timely = await endOverdue(round, waiting.slice(0, room));
  const allowed = await findAllowed(round, timely, wallet);
  const payable = await findPayable(round, allowed, wallet);
  return sign(round, payable, wallet);
}

// The chain is read before the row: signatures in between raise the row only, so a count above it is foreign.
async function findWallet(
  round: WalletRound,
  waiting: readonly Intent[],
): Promise<Wallet | undefined> {
  const { readers, pool, signer, clock } = round;
  const currencies = new Set(waiting.map(({ currency }) => currency));
  for (const reader of readers) {
    const view = await tryRequest(readWallet(reader, signer.address, currencies));
    if (view === undefined) continue;
    const state = await findSigner(pool, signer, clock.now());
    const { nextNonce, isFrozen } = state;
    const isForeign = nextNonce !== undefined && view.count > nextNonce && !isFrozen;
    if (isForeign)
      await freezeWallet(round, "the wallet has sent a transaction that no intent holds");
    return { ...view, state: { ...state, isFrozen: isFrozen || isForeign } };
  }
  return undefined;
}

/** Without the authorizations whose time is over. */
async function endOverdue(round: WalletRound, intents: readonly Intent[]): Promise<Intent[]> {
  const authorizations = intents.filter(({ kind }) => kind === "authorization");
  const stored = await findAuthorizations(round.pool, authorizations);
  const now = round.clock.now();
  const overdue = new Set(
    stored.flatMap((one) => (one.valid_before <= now ? [one.subject_id] : [])),
  );
  const timely: Intent[] = [];
  for (const intent of intents) {
    if (!overdue.has(intent.subjectId)) timely.push(intent);
    else await resolveAuthorization(round, intent, { from: "waiting", isReverted: false });
  }
  return timely;
}

async function findAllowed(
  round: WalletRound,
  intents: readonly Intent[],
  { state }: Wallet,
): Promise<Intent[]> {
  const { pool, getDecimals } = round;
  const { policy } = round.signer;
  const refundable = await sumRefundable(
    pool,
    intents.filter((intent) => intent.kind === "transfer" && goesToPayer(policy, intent)),
  );
  const today = new Map(state.today);
  const allowed: Intent[] = [];
  const refused = new Map<HeldReason, Intent[]>();
  for (const intent of intents) {
    const { currency, baseAmount } = intent;
    if (intent.kind === "authorization") {
      allowed.push(intent);
      continue;
    }
    const sum = today.get(currency) ?? ZERO_AMOUNT;
    const ofPayer = refundable.get(payerKey(intent)) ?? 0n;
    const facts = { refundable: ofPayer, today: sum, decimals: getDecimals(currency) };
    const held = heldBy(policy, intent, facts);
    if (held === undefined) {
      allowed.push(intent);
      today.set(currency, sumAmounts([sum, getSpent(intent)]));
      refundable.set(payerKey(intent), ofPayer - baseAmount);
    } else {
      refused.set(held, [...(refused.get(held) ?? []), intent]);
    }
  }
  for (const [reason, held] of refused) await holdIntents(round, held, reason);
  return allowed;
}

/** Those that the wallet can pay, together with all that is under way. */
async function findPayable(
  round: WalletRound,
  intents: readonly Intent[],
  { balances, market, state }: Wallet,
): Promise<Payable[]> {
  const { signer } = round;
  const fees = firstFees(market, signer.policy.maxFeePerGas);
  if (fees === undefined) {
    await holdIntents(round, intents, "fee");
    return [];
  }
  const left = new Map([...balances].map(([key, sum]) => [key, sum - underWay(state, key)]));
  const payable: Payable[] = [];
  const [poor, unanswered]: [Intent[], Intent[]] = [[], []];
  const funded = intents.filter((one) => (left.get(one.currency) ?? 0n) >= getSpent(one));
  const tries = await tryTransfers(round.readers, funded);
  for (const intent of intents) {
    const tried = tries.get(intent);
    if (tried?.kind === "reverts" && intent.kind === "authorization")
      await resolveAuthorization(round, intent, { from: "waiting", isReverted: true });
    else if (tried?.kind === "reverts")
      await endIntent(round, intent, { from: "waiting", reason: "reverted" });
    else if (tried?.kind === "unanswered") unanswered.push(intent);
    else if (tried?.kind === "passes" && spend(left, intent, tried.gasLimit * fees.maxFee))
      payable.push({ intent, fees, gasLimit: tried.gasLimit });
    else poor.push(intent);
  }
  await postpone(round, unanswered);
  await holdIntents(round, poor, "funds");
  await sweepFor(
    round,
    poor.filter((one) => (left.get(one.currency) ?? 0n) < getSpent(one)),
  );
  return payable;
}

function underWay({ inFlight }: SignerState, currency: Currency): Amount {
  const sum = inFlight.sums.get(currency) ?? ZERO_AMOUNT;
  return currency === NATIVE ? sumAmounts([sum, inFlight.cost]) : sum;
}

/** Takes amount and gas from the rest of the funds; false where it is too little. */
function spend(left: Map<Currency, bigint>, intent: Intent, gas: bigint): boolean {
  const { currency } = intent;
  const isNative = currency === NATIVE;
  const spent = getSpent(intent);
  const native = (left.get(NATIVE) ?? 0n) - gas - (isNative ? spent : 0n);
  const token = isNative ? 0n : (left.get(currency) ?? 0n) - spent;
  if (native < 0n || token < 0n) return false;
  left.set(NATIVE, native);
  if (!isNative) left.set(currency, token);
  return true;
}

async function sign(
  round: WalletRound,
  payable: readonly Payable[],
  wallet: Wallet,
): Promise<number> {
  const { pool, clock, signer, chain } = round;
  const { state, count, head } = wallet;
  const first = state.nextNonce ?? Math.max(count, state.usedNonces);
  const intents = payable.map(({ intent }) => intent);
  const { signings, fault } = await signAll(
    signer,
    payable.map((one, at) => ({ ...one, nonce: first + at })),
  );
  if (fault !== undefined) {
    round.log.warn({ chainId: chain.chainId, err: fault }, "a signer does not sign");
    signaturesTotal.inc({ chain: chain.chainId, outcome: "failed" });
    return postpone(round, intents);
  }
  const now = clock.now();
  const stored = { wallet: signer, before: state.nextNonce, signings, block: head };
  if (!(await writeSigned(pool, { ...stored, now, nextAt: now }))) return postpone(round, intents);
  signaturesTotal.inc({ chain: chain.chainId, outcome: "stored" }, signings.length);
  await broadcast(
    round,
    signings.map(({ signature }): Broadcast => signature),
  );
  return signings.length;
}

async function holdIntents(
  round: WalletRound,
  intents: readonly Intent[],
  reason: HeldReason,
): Promise<0> {
  const { pool, clock, log, chain } = round;
  const nextAt = new Date(clock.now().getTime() + HELD_MS);
  for (const { subjectId, heldReason } of intents) {
    if (heldReason === reason) continue;
    log.warn({ chainId: chain.chainId, subjectId, reason }, "a transfer is not sent at present");
  }
  const held = intents.map((intent) => ({ intent, heldReason: reason, nextAt }));
  await rescheduleIntents(pool, held);
  return 0;
}

async function postpone({ pool, clock }: WalletRound, intents: readonly Intent[]): Promise<0> {
  const nextAt = new Date(clock.now().getTime() + AGAIN_MS);
  const waiting = intents.map((intent) => ({ intent, heldReason: undefined, nextAt }));
  await rescheduleIntents(pool, waiting);
  return 0;
}
