import { isAddress, toBaseUnits, ZERO_ADDRESS } from "@pay/money";
import type { Payment, Status } from "./payment.ts";

/** What a chain offers to be paid in, as far as a new payment must know it. */
export interface ChainTerms {
  isTestnet: boolean;
  nativeDecimals: number;
  /** Fraction digits by lower-case contract address. */
  tokenDecimals: ReadonlyMap<string, number>;
}

export type Terms = ReadonlyMap<bigint, ChainTerms>;

export interface Order {
  id: string;
  projectId: string;
  mode: number;
  variant: number;
  amount: string;
  chainId: bigint;
  currency: string;
  recipientAddress: string;
  description?: string | undefined;
  metadataJson?: string | undefined;
  qrMode: boolean;
  orderId?: string | undefined;
  customerId?: string | undefined;
  expiresInMinutes?: number | undefined;
  secretVersion: number;
}

const LIFETIME_MINUTES = 30;
/** Mode and variant numbers of the protos. */
const TEST_MODE = 2;
const INITIAL: Record<number, Status> = { 1: "created", 2: "pending" };
const initialStatus = (variant: number): Status => INITIAL[variant] ?? "created";

/** A payment fit to be stored, or all that is wrong with the order, field name first. */
export const newPayment = (order: Order, terms: Terms, now: Date): Payment | string => {
  const chain = terms.get(order.chainId);
  if (chain === undefined) return "chainId is not supported";
  const faults: string[] = [];
  if (order.mode === TEST_MODE && !chain.isTestnet) {
    faults.push("chainId must be a test network when a test key is used");
  }
  const token = order.currency.toLowerCase();
  const decimals = token === "native" ? chain.nativeDecimals : chain.tokenDecimals.get(token);
  if (decimals === undefined)
    faults.push('currency must be "native" or a token listed for the chain');
  const base = decimals === undefined ? undefined : toBaseUnits(order.amount, decimals);
  if (decimals !== undefined && base === undefined) {
    faults.push(
      `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    );
  }
  if (base === 0n) faults.push("amount must be greater than zero");
  const recipient = order.recipientAddress.toLowerCase();
  if (!isAddress(order.recipientAddress)) faults.push("recipientAddress must be an address");
  else if (recipient === ZERO_ADDRESS) faults.push("recipientAddress must not be the zero address");
  else if (chain.tokenDecimals.has(recipient)) {
    faults.push("recipientAddress must not be a token contract");
  }
  if (faults.length > 0 || base === undefined || decimals === undefined) return faults.join("; ");

  const lifetimeMs = (order.expiresInMinutes ?? LIFETIME_MINUTES) * 60_000;
  return {
    id: order.id,
    project_id: order.projectId,
    mode: order.mode,
    variant: order.variant,
    status: initialStatus(order.variant),
    amount: order.amount,
    base_amount: base,
    decimals,
    currency: order.currency,
    chain_id: order.chainId,
    recipient_address: order.recipientAddress,
    description: order.description ?? null,
    metadata_json: order.metadataJson ?? null,
    qr_mode: order.qrMode,
    order_id: order.orderId ?? null,
    customer_id: order.customerId ?? null,
    secret_version: order.secretVersion,
    expires_at: new Date(now.getTime() + lifetimeMs),
    created_at: now,
    ...NOTHING_YET,
  };
};

/** What the chain and the merchant add later. */
const NOTHING_YET = {
  confirmed_at: null,
  refunded_at: null,
  refund_declared: false,
  tx_hash: null,
  block_number: null,
  payer_address: null,
  sender_address: null,
  received_base_amount: null,
  failure_code: null,
  attempts: 0,
  version: 1,
};

/** The payment as its creation was answered, whatever became of it since. */
export const asCreated = (payment: Payment): Payment => ({
  ...payment,
  ...NOTHING_YET,
  status: initialStatus(payment.variant),
});
