// An observation of the chain about money going out. It is applied only where it agrees with the record it names: money went
// from the paying wallet to the destination.
import type { ObservedTransfer } from "@pay/events";
import { type Address, type TxHash, toAddress, toChainId, toCurrency } from "@pay/values";
import { type Outgoing, wasSubmitted } from "./hashes.ts";

/** A refund or a settlement, as far as an observation of it is compared with it. */
export interface Claimed extends Outgoing {
  project_id: string;
  mode: number;
  chain_id: bigint;
  currency: string;
  source_address: string;
  destination_address: string;
  completed_at: Date | null;
  /** Further wallets that may pay it; of a settlement there are none. */
  payout_wallets?: readonly string[];
}

/** The field of the observation that is not the record's; undefined where all that is there fits. */
export function mismatch(claimed: Claimed, seen: ObservedTransfer): string | undefined {
  const { recipient, currency, sender, submittedTxHash: hash, received } = seen;
  const isProof = seen.type === "transfer.confirmed";
  const fits = {
    project: seen.projectId === claimed.project_id,
    mode: seen.mode === claimed.mode,
    chain: seen.chainId === toChainId(claimed.chain_id),
    recipient: recipient === toAddress(claimed.destination_address),
    currency: currency === toCurrency(claimed.currency),
    sender: !isProof || mayPay(claimed, sender),
    hash: hash === undefined || wasSubmitted(claimed, hash),
    amount: !isProof || (received !== undefined && received >= claimed.base_amount),
  };
  return Object.entries(fits).find(([, holds]) => !holds)?.[0];
}

function mayPay({ source_address, payout_wallets = [] }: Claimed, sender: Address | undefined) {
  return (
    sender !== undefined &&
    (sender === toAddress(source_address) || payout_wallets.includes(sender))
  );
}

/** Whether this very transaction completed the record. */
export function isProvenBy(claimed: Claimed, txHash: TxHash): boolean {
  return claimed.completed_at !== null && claimed.tx_hash === txHash;
}
