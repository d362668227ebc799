// All hashes that were submitted for a payment. The current one is in tx_hash and its verdict in failure_code; the
// others stay beside it, because each may still prove the payment.
import type { TxHash } from "@pay/values";
import type { OtherHash, Payment } from "./payment.ts";

/** The bound of the column, less the current hash, which may join the others. */
export const OTHERS_MAX = 8;

export function listOtherHashes({ other_hashes }: Payment): OtherHash[] {
  return other_hashes ?? [];
}

export function hasHash(payment: Payment, hash: TxHash): boolean {
  return payment.tx_hash === hash || listOtherHashes(payment).some((other) => other.hash === hash);
}

export function isProcessing({ status }: Payment): boolean {
  return status === "processing";
}

/** Whether the hash has no verdict yet. */
export function isHashPending(payment: Payment, hash: TxHash): boolean {
  return (
    isProcessing(payment) &&
    (payment.tx_hash === hash ||
      listOtherHashes(payment).some((other) => other.hash === hash && other.verdict === null))
  );
}

export function isMerchantSubmitted(payment: Payment, hash: TxHash): boolean {
  if (payment.tx_hash === hash) return payment.merchant_submitted;
  return listOtherHashes(payment).some((other) => other.hash === hash && other.by_merchant);
}

/** All other hashes, when this one becomes the current hash. */
export function listHashesBesides(payment: Payment, hash: string): OtherHash[] | null {
  const { tx_hash, merchant_submitted, failure_code } = payment;
  const current =
    tx_hash === null
      ? []
      : [{ hash: tx_hash, by_merchant: merchant_submitted, verdict: failure_code }];
  const others = [...listOtherHashes(payment), ...current].filter((other) => other.hash !== hash);
  return others.length === 0 ? null : others;
}

/** A hash that is being verified is no further attempt and keeps its block. */
export function submitHash(payment: Payment, hash: TxHash, byMerchant: boolean) {
  const isOneMore = !isHashPending(payment, hash);
  return {
    tx_hash: hash,
    other_hashes: listHashesBesides(payment, hash),
    merchant_submitted: byMerchant,
    attempts: isOneMore ? payment.attempts + 1 : payment.attempts,
    block_number: isOneMore || payment.tx_hash !== hash ? null : payment.block_number,
  };
}

export function selectHash(payment: Payment, { hash, by_merchant }: OtherHash) {
  return {
    tx_hash: hash,
    merchant_submitted: by_merchant,
    other_hashes: listHashesBesides(payment, hash),
    block_number: null,
  };
}

export function setVerdict(payment: Payment, hash: TxHash, verdict: string | null): OtherHash[] {
  return listOtherHashes(payment).map((other) =>
    other.hash === hash ? { ...other, verdict } : other,
  );
}

export function findVerdict(payment: Payment, hash: TxHash): string | null | undefined {
  return listOtherHashes(payment).find((other) => other.hash === hash)?.verdict;
}

export function findLatestPending(payment: Payment): OtherHash | undefined {
  return listOtherHashes(payment).findLast(({ verdict }) => verdict === null);
}
