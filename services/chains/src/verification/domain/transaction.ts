// A transaction whose transfers matter to somebody, and what its verification has found.
import type { Address, Amount, ChainId, Currency, PaymentReference, TxHash } from "@pay/values";
import type { Transfer } from "../../providers/domain/transfer.ts";

/** proven: final, and agreed. failed: the same, and reverted. missing: given up, or replaced. */
export type TransactionState = "waiting" | "proven" | "failed" | "missing";

/** What a waiting transaction waits for. */
export type Wait = "provider" | "transaction" | "block" | "depth" | "agreement" | "trace";

/** A wallet that waits for its transfers. */
export interface Target {
  recipient: Address;
  currency: Currency;
}

export function targetName({ recipient, currency }: Target): string {
  return `${recipient} ${currency}`;
}

/** By the name of the target: the block whose transfers to it are proven, and whether it got another currency. */
export type Proofs = Record<string, { blockHash: string; isWrongToken: boolean }>;

/** The sender and nonce of the transaction, and the head of the chain when it was last seen unmined. */
export interface Sender {
  address: Address;
  nonce: number;
  seenBlock: number;
}

export interface Tracked {
  chainId: ChainId;
  txHash: TxHash;
  targets: readonly Target[];
  /** What a refund or settlement is to bring with it. */
  outgoingAmount: Amount | undefined;
  /** When the search ends; undefined: never. */
  giveUpAt: Date | undefined;
  misses: number;
  sender: Sender | undefined;
  firstSeenAt: Date | undefined;
  createdAt: Date;
  /** Of the last verification. */
  blockHash: string | undefined;
  waitsFor: Wait | undefined;
}

/** A matching transfer and the block it was mined in. */
export interface SettledTransfer extends Transfer {
  /** The payment that it names. */
  reference: PaymentReference | undefined;
  blockNumber: number;
  blockHash: string;
  blockTime: Date;
}

export interface Finding {
  tracked: Tracked;
  state: TransactionState;
  nextAt: Date;
  giveUpAt: Date | undefined;
  misses: number;
  sender: Sender | undefined;
  replacedBy: TxHash | undefined;
  isSeen: boolean;
  waitsFor: Wait | undefined;
  block: { number: number; hash: string; time: Date } | undefined;
  proofs: Proofs;
  head: number | undefined;
  /** Providers that report the same transaction, the one that found it among them. */
  agreeing: number | undefined;
  contradicting: number | undefined;
  transfers: readonly SettledTransfer[];
}

export function isTarget(
  targets: readonly Target[],
  { recipient, currency, sender }: Pick<Transfer, "recipient" | "currency" | "sender">,
): boolean {
  return (
    sender !== recipient &&
    targets.some((target) => target.recipient === recipient && target.currency === currency)
  );
}

/** What is known of a transaction that is in no block. */
export function buildFinding(
  tracked: Tracked,
  change: Partial<Finding> & Pick<Finding, "nextAt" | "waitsFor">,
): Finding {
  return {
    tracked,
    state: "waiting",
    giveUpAt: tracked.giveUpAt,
    misses: 0,
    sender: tracked.sender,
    replacedBy: undefined,
    isSeen: false,
    block: undefined,
    proofs: {},
    head: undefined,
    agreeing: undefined,
    contradicting: undefined,
    transfers: [],
    ...change,
  };
}

export function isOverdue({ giveUpAt }: Tracked, now: Date): boolean {
  return giveUpAt !== undefined && now > giveUpAt;
}
