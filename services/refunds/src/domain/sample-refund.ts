// A payment and requests of refunds for tests.
import { Failure, type FailureCode } from "@pay/failures";
import { type Amount, toAddress } from "@pay/values";
import type { Balance, Payment } from "./balance.ts";
import {
  buildRequestedRefund,
  type NewRefund,
  type RefundRules,
  type RequestColumns,
} from "./new-refund.ts";

export const SHOPPER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
export const OTHER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";
export const TOKEN = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb";

export function aPayment(change: Partial<Payment> = {}): Payment {
  return {
    id: "pay_000000000000000000000000",
    projectId: "proj_000000000000000000000000",
    mode: 1,
    status: "confirmed",
    version: 3,
    baseAmount: "10000000",
    finalBaseAmount: "10000000",
    senders: [{ address: toAddress(SHOPPER), baseAmount: "10000000" }],
    decimals: 6,
    currency: TOKEN,
    chainId: 1n,
    orderId: "order-1",
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    senderAddress: toAddress(SHOPPER),
    refundDeclared: false,
    confirmedAt: new Date(3),
    ...change,
  };
}

const PERSONS = [SHOPPER, OTHER].map((wallet) => [toAddress(wallet), false] as const);
export const terms: RefundRules = {
  sharedAddresses: new Set<string>(),
  returned: new Map<string, Amount>(),
  check: { chargesFee: false, senderIsContract: Object.fromEntries(PERSONS) },
  isServiceSigned: () => false,
};
export const context = { ...terms, entry: undefined, anyDestination: true, now: new Date(0) };
export function toRequest(requested: Partial<RequestColumns> = {}): RequestColumns {
  const { id: payment_id } = aPayment();
  return {
    payment_id,
    amount: null,
    reason: null,
    destination_address: null,
    surplus: false,
    requested_by: "key_1",
    ...requested,
  };
}

export function tryRefund(payment: Payment, balance: Balance, requested: Partial<RequestColumns>) {
  return buildRequestedRefund(payment, balance, toRequest(requested), context);
}

export function requireRefund(result: ReturnType<typeof tryRefund>): NewRefund {
  if (result instanceof Failure) throw result;
  return result;
}

export function failure(code: FailureCode, message: string) {
  return { errorCode: code, message };
}
