// A transfer to a wallet of a tenant, and what is made of it.
import type { Address, Amount, AttributionRule, TxHash, UnmatchedReason } from "@pay/values";

export interface Arrival {
  id: bigint;
  txHash: TxHash;
  sender: Address;
  value: Amount;
  blockNumber: number;
  /** The earliest time of a block that had it. */
  arrivedAt: Date;
  /** The payment that the wallet named in its call, or by the deposit address to which it sent. */
  name: Name | undefined;
  /** It was sent to the deposit address of that payment. */
  isDeposit: boolean;
  /** The payer has signed the name, and somebody else has sent the transaction. */
  isAuthorized: boolean;
  /** A decision that changes no more. */
  fixed: Decision | undefined;
  /** What its group gave it, once another transfer of the group is settled. */
  grouped: Decision | undefined;
}

export type Name =
  | { kind: "here"; paymentId: string }
  /** Of another wallet, currency or chain, or of another tenant, whose payments are nobody else's to know. */
  | { kind: "elsewhere"; paymentId: string | undefined }
  | { kind: "unknown" };

/** Orphaned transfers left the chain with their block. */
export function isOnChain({ status }: { status: string }): boolean {
  return status !== "orphaned";
}

export function isFinal({ status }: { status: string }): boolean {
  return status === "final";
}

export type Rule = AttributionRule;
export type Unmatched = UnmatchedReason;

export type Decision =
  | {
      paymentId: string;
      rule: Rule;
      /** The payments of all transfers in its group. */
      group?: readonly string[];
    }
  | {
      reason: Unmatched;
      /** The payments that it may be meant for. */
      candidates: readonly string[];
      /** Those of them that a signature would help: due exactly this, or with this hash submitted. */
      unsigned: readonly string[];
    };

export function several(candidates: readonly string[], unsigned: readonly string[]): Decision {
  return { reason: "several_fit", candidates, unsigned };
}
