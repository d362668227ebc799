// An intent is a refund or a settlement that the service sends itself, or a sweep of deposit addresses. It waits until
// it may be signed, is signed once with one nonce, and ends when its transaction is final, or when none of its
// transactions can be mined any more.
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  isId,
  type TxHash,
  ZERO_AMOUNT,
} from "@pay/values";

/** Why nothing of an intent is sent at present. Each ends by itself with its cause; an alert reports it until then. */
export type HeldReason =
  | "owner"
  | "currency"
  | "destination"
  | "transaction_limit"
  | "day_limit"
  | "funds"
  | "fee"
  | "frozen"
  /** A transaction was mined that does not pay it, and may have moved money. */
  | "refused";

/** Why an intent ended without a transfer. */
export type UnsentReason = "reverted" | "nonce_used" | "timeout" | "cancelled";

/**
 * transfer: money of the signing wallet. sweep: money of deposit addresses. authorization: money of a payer who has
 * signed for it. Of the last two the wallet pays the gas alone.
 */
export type IntentKind = "transfer" | "sweep" | "authorization";

export interface NewIntent {
  kind: IntentKind;
  subjectId: string;
  projectId: string;
  mode: number;
  requestId: string;
  /** Of a refund: its payment. */
  paymentId: string | undefined;
  chainId: ChainId;
  source: Address;
  destination: Address;
  currency: Currency;
  decimals: number;
  baseAmount: Amount;
  owedSince: Date;
  /** Of the refund or settlement. */
  version: number;
}

export interface Intent extends NewIntent {
  /** Of a sweep: the payments whose deposit addresses it sweeps. */
  sweptPaymentIds: readonly string[];
  /** Of an authorization. */
  callData: string | undefined;
  heldReason: string | undefined;
  createdAt: Date;
}

export interface SignedTransaction {
  ordinal: number;
  txHash: TxHash;
  /** 0x and hex. */
  raw: string;
  fees: Fees;
  signedAt: Date;
  /** When a provider last took it. */
  sentAt: Date | undefined;
}

export interface SignedIntent extends Intent {
  nonce: number;
  gasLimit: bigint;
  /** The head of the chain when it was signed. */
  signedBlock: number;
  minedTxHash: TxHash | undefined;
  /** In the order of their signatures. */
  transactions: readonly SignedTransaction[];
  /** Hashes of its transactions that were proven, and of those that were not. */
  proven: ReadonlySet<TxHash>;
  refuted: ReadonlySet<TxHash>;
}

/** In base units of the native coin, per gas. */
export interface Fees {
  maxFee: bigint;
  priorityFee: bigint;
}

/** Bounds one transaction of the database and one request to a provider. */
export const SIGNED_AT_ONCE_MAX = 100;

export function findLatest({ transactions }: SignedIntent): SignedTransaction {
  return transactions.at(-1) as SignedTransaction;
}

/** What it takes from the wallet besides gas. */
export function getSpent({ kind, baseAmount }: NewIntent): Amount {
  return kind === "transfer" ? baseAmount : ZERO_AMOUNT;
}

export function isSettlement({ subjectId }: Pick<NewIntent, "subjectId">): boolean {
  return isId("stl", subjectId);
}

const RESEND_MS = 15_000;
const BUMP_BLOCKS = 3;
const BUMP_MIN_MS = 30_000;

/** A transaction that is not mined is given to the providers again, because they forget. */
export function isSendDue({ sentAt }: SignedTransaction, now: Date): boolean {
  return sentAt === undefined || now.getTime() - sentAt.getTime() >= RESEND_MS;
}

/** Long enough for a fair fee to be taken. */
export function isBumpDue(
  { signedAt }: SignedTransaction,
  now: Date,
  blockTimeMs: number,
): boolean {
  const waitMs = Math.max(BUMP_BLOCKS * blockTimeMs, BUMP_MIN_MS);
  return now.getTime() - signedAt.getTime() >= waitMs;
}

const VERDICT_MIN_MS = 1_000;
const VERDICT_MAX_MS = 15_000;

/** Until the verdict on a mined transaction is looked for again: the longer it takes already, the later. */
export function verdictDelayMs({ signedAt }: SignedTransaction, now: Date): number {
  const age = now.getTime() - signedAt.getTime();
  return Math.min(Math.max(age, VERDICT_MIN_MS), VERDICT_MAX_MS);
}

const DEPTH_MIN = 64;

/** Deep enough that its transaction is not followed any more. A verdict comes earlier, by the policy of the chain. */
export function isDeep(
  { minedBlock, head }: { minedBlock: number; head: number },
  confirmations: number,
): boolean {
  return head - minedBlock >= Math.max(2 * confirmations, DEPTH_MIN);
}

const LOOKS_PER_BLOCK = 20;
const LOOK_MIN_MS = 250;
const LOOK_MAX_MS = 2_000;

/**
 * The pause before an unmined transaction is followed again: short after its signature, because some chains mine at
 * once.
 */
export function lookDelayMs(
  { signedAt }: SignedTransaction,
  now: Date,
  blockTimeMs: number,
): number {
  const usual = Math.min(Math.max(blockTimeMs / 2, LOOK_MIN_MS), LOOK_MAX_MS);
  const age = now.getTime() - signedAt.getTime();
  return Math.min(Math.max(age, blockTimeMs / LOOKS_PER_BLOCK), usual);
}
