// Compares an observation of the chain with the refund or settlement that it is about. It is applied only where it
// matches: money went from the paying wallet to the destination.
import type { ObservedTransfer } from "@pay/events";
import { type Address, type TxHash, toAddress, toChainId, toCurrency } from "@pay/values";
import { type Outgoing, wasSubmitted } from "./outgoing.ts";

/** The columns of a refund or settlement that an observation is compared with. */
export interface OutgoingTransfer extends Outgoing {
  project_id: string;
  mode: number;
  chain_id: bigint;
  currency: string;
  source_address: string;
  destination_address: string;
  completed_at: Date | null;
  service_signed: boolean;
  /** Further wallets that may pay a refund; a settlement has none. */
  payout_wallets?: readonly string[];
}

/** The first field of the observation that differs from the record; undefined where all match. */
export function findMismatch(record: OutgoingTransfer, seen: ObservedTransfer): string | undefined {
  const { recipient, currency, sender, submittedTxHash: hash, received } = seen;
  const isProof = seen.type === "transfer.confirmed";
  const matches = {
    project: seen.projectId === record.project_id,
    mode: seen.mode === record.mode,
    chain: seen.chainId === toChainId(record.chain_id),
    recipient: recipient === toAddress(record.destination_address),
    currency: currency === toCurrency(record.currency),
    sender: !isProof || canPay(record, sender),
    hash: record.service_signed || wasSubmitted(record, hash),
    amount: !isProof || (received !== undefined && received >= record.base_amount),
  };
  return Object.entries(matches).find(([, holds]) => !holds)?.[0];
}

function canPay(
  { source_address, payout_wallets = [] }: OutgoingTransfer,
  sender: Address | undefined,
): boolean {
  return (
    sender !== undefined &&
    (sender === toAddress(source_address) || payout_wallets.includes(sender))
  );
}

/** Whether this very transaction completed the record. */
export function isProvenBy(record: OutgoingTransfer, txHash: TxHash): boolean {
  return record.completed_at !== null && record.tx_hash === txHash;
}
