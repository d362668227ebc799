// All hashes that were submitted for a payment. The present one is in tx_hash, its verdict in failure_code; the others
// are kept beside it, because each of them may still prove the payment.
import type { TxHash } from "@pay/values";
import type { OtherHash, Payment } from "./payment.ts";

/** The bound of the column, less the present hash that another one may join. */
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

/** Whether the verdict on this very hash is still to come. */
export function isHashPending(payment: Payment, hash: TxHash): boolean {
  return (
    isProcessing(payment) &&
    (payment.tx_hash === hash ||
      listOtherHashes(payment).some((other) => other.hash === hash && other.verdict === null))
  );
}

/** Whether the merchant itself has named this hash. */
export function isMerchantSubmitted(payment: Payment, hash: TxHash): boolean {
  if (payment.tx_hash === hash) return payment.merchant_submitted;
  return listOtherHashes(payment).some((other) => other.hash === hash && other.by_merchant);
}

/** Every hash but this one, for a payment whose own hash it becomes. */
export function listHashesBesides(payment: Payment, hash: string): OtherHash[] | null {
  const { tx_hash, merchant_submitted, failure_code } = payment;
  const present =
    tx_hash === null
      ? []
      : [{ hash: tx_hash, by_merchant: merchant_submitted, verdict: failure_code }];
  const others = [...listOtherHashes(payment), ...present].filter((other) => other.hash !== hash);
  return others.length === 0 ? null : others;
}

/** What changes when a hash is named. One that is under judgement is no further attempt, and stays in its block. */
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

/** What changes when another hash becomes the present one. */
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

/** The last one submitted of those that have no verdict. */
export function findLatestPending(payment: Payment): OtherHash | undefined {
  return listOtherHashes(payment).findLast(({ verdict }) => verdict === null);
}
