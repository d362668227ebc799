import type { MessageColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CreatePayment } from "@pay/proto";
import {
  parseAddress,
  toBaseUnits,
  toCurrency,
  toDepositAddress,
  UNNAMED_TRANSFERS,
  ZERO_ADDRESS,
} from "@pay/values";
import type { Later, Payment } from "./payment.ts";
import { getInitialStatus } from "./state.ts";

export interface ChainTerms {
  isTestnet: boolean;
  nativeDecimals: number;
  /** Fraction digits by lower-case contract address. */
  tokenDecimals: ReadonlyMap<string, number>;
  hasDepositAddresses: boolean;
}

export type Terms = ReadonlyMap<bigint, ChainTerms>;

/** Fields of the request that are not stored. */
type Unstored = "request_id" | "replay_only" | "expires_in_minutes";

/** The request of a merchant as columns, with the values that the service adds. */
export interface Order {
  id: string;
  tenant: { projectId: string; mode: number };
  given: Omit<MessageColumns<CreatePayment>, Unstored>;
  lifetimeMinutes: number | undefined;
  secretVersion: number;
}

const LIFETIME_MINUTES = 30;
/** A mode of the protos. */
const TEST_MODE = 2;

/** The failure lists every fault of the order, field name first. */
export function newPayment(order: Order, terms: Terms, now: Date): Payment | Failure {
  const { tenant } = order;
  const { deposit_addresses: hasDepositAddress, ...given } = order.given;
  const chain = terms.get(given.chain_id);
  if (chain === undefined) return new Failure("chain_unsupported", "chainId is not supported");
  const faults: string[] = [];
  if (tenant.mode === TEST_MODE && !chain.isTestnet) {
    faults.push("chainId must be a test network when a test key is used");
  }
  const token = toCurrency(given.currency);
  const decimals = token === "native" ? chain.nativeDecimals : chain.tokenDecimals.get(token);
  if (decimals === undefined)
    faults.push('currency must be "native" or a token listed for the chain');
  const base = decimals === undefined ? undefined : toBaseUnits(given.amount, decimals);
  if (decimals !== undefined && base === undefined) {
    faults.push(
      `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    );
  }
  if (base === 0n) faults.push("amount must be greater than zero");
  const recipient = parseAddress(given.recipient_address);
  if (recipient === undefined) faults.push("recipientAddress must be an address");
  else if (recipient === ZERO_ADDRESS) faults.push("recipientAddress must not be the zero address");
  else if (chain.tokenDecimals.has(recipient)) {
    faults.push("recipientAddress must not be a token contract");
  }
  const unnamed = UNNAMED_TRANSFERS.find((one) => one === (given.unnamed_transfers ?? "match"));
  if (unnamed === undefined) faults.push("unnamedTransfers must be match or hold");
  if (hasDepositAddress && !chain.hasDepositAddresses) {
    faults.push(`depositAddresses must be false on chain ${given.chain_id}, which has none`);
  }
  if (faults.length > 0 || base === undefined || decimals === undefined || !recipient) {
    return new Failure("field_invalid", faults.join("; "));
  }

  const openMs = (order.lifetimeMinutes ?? LIFETIME_MINUTES) * 60_000;
  return {
    ...given,
    unnamed_transfers: unnamed === "hold" ? unnamed : null,
    id: order.id,
    pay_to: hasDepositAddress ? toDepositAddress({ paymentId: order.id, recipient }) : null,
    project_id: tenant.projectId,
    mode: tenant.mode,
    status: getInitialStatus(given.variant),
    base_amount: base,
    decimals,
    secret_version: order.secretVersion,
    expires_at: new Date(now.getTime() + openMs),
    created_at: now,
    ...NOTHING_YET,
  };
}

/** Columns that the chain and the merchant fill later. */
const NOTHING_YET: Later = {
  confirmed_at: null,
  refunded_at: null,
  reorged_at: null,
  cancelled_at: null,
  closed_at: null,
  due_at: null,
  payer_signed_at: null,
  block_number: null,
  tx_hash: null,
  money_tx_hash: null,
  money_turn: null,
  received_base_amount: null,
  final_base_amount: null,
  late_base_amount: null,
  late_final_base_amount: null,
  accepted_base_amount: null,
  refunded_base_amount: null,
  surplus_refunded_base_amount: null,
  reserved_base_amount: null,
  payer_address: null,
  sender_address: null,
  senders: null,
  hashes: null,
  arrived: null,
  screened: null,
  screened_base_amount: null,
  needs: null,
  failure_code: null,
  late_decision: null,
  refund_declared: false,
  extensions: null,
  version: 1,
};

/** The first time limit; each extension has added as much again. */
export function lifetimeMs({ created_at, expires_at, extensions }: Payment): number {
  return (expires_at.getTime() - created_at.getTime()) / ((extensions ?? 0) + 1);
}

/** The payment as the response of its creation had it. */
export function asCreated(payment: Payment): Payment {
  return {
    ...payment,
    ...NOTHING_YET,
    status: getInitialStatus(payment.variant),
    expires_at: new Date(payment.created_at.getTime() + lifetimeMs(payment)),
  };
}
