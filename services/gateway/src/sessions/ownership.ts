// What belongs to a shopper, in one place. A customer record is theirs when its wallet is the session's; a payment
// when it names such a record, or when the wallet is its payer or its sender; a refund when its payment is theirs.
// Every other record is not found for them.

import { Failure, isFailureKind } from "@pay/failures";
import type { Customer, Payment, Refund } from "@pay/proto";
import { toAddress } from "@pay/values";
import type { Services } from "../services/services.ts";
import type { Shopper } from "./customer-sessions.ts";

const RECORDS_MAX = 100;

interface ShoppersCall {
  services: Services;
  shopper: Shopper;
}

export async function findOwnCustomer(
  { services, shopper }: ShoppersCall,
  id: string,
): Promise<Customer> {
  const { customer } = await services.customers.getCustomer({ id });
  if (customer !== undefined && toAddress(customer.walletAddress) === shopper.wallet) {
    return customer;
  }
  throw new Failure("customer_not_found", "Customer not found");
}

export async function findOwnPayment(call: ShoppersCall, id: string): Promise<Payment> {
  const payment = await call.services.payments.getPayment({ id });
  if (await isOwn(call, payment)) return payment;
  throw new Failure("payment_not_found", "Payment not found");
}

async function isOwn(call: ShoppersCall, payment: Payment): Promise<boolean> {
  const { wallet } = call.shopper;
  const { payerAddress, senderAddress, customerId } = payment;
  if (wallet === null) return false;
  if (payerAddress === wallet || senderAddress === wallet) return true;
  return customerId !== undefined && isFound(findOwnCustomer(call, customerId));
}

/** False where the record is not found; every other failure is thrown. */
async function isFound(finding: Promise<unknown>): Promise<boolean> {
  try {
    await finding;
    return true;
  } catch (error) {
    if (isFailureKind("not_found", error)) return false;
    throw error;
  }
}

export async function findOwnRefund(call: ShoppersCall, id: string): Promise<Refund> {
  const { refund } = await call.services.refunds.getRefund({ id });
  if (refund !== undefined && (await ownsPayment(call, refund.paymentId))) return refund;
  throw new Failure("refund_not_found", "Refund not found");
}

export function ownsPayment(call: ShoppersCall, id: string): Promise<boolean> {
  return isFound(findOwnPayment(call, id));
}

/** Whose payments or refunds a list holds. */
export interface Owner {
  walletAddress: string;
  customerIds: string[];
}

export const ANY_CUSTOMER = {
  walletAddress: undefined,
  name: undefined,
  createdFrom: undefined,
  createdTo: undefined,
};

/** For lists of payments and refunds; undefined: the shopper owns none. */
export async function findOwner({ services, shopper }: ShoppersCall): Promise<Owner | undefined> {
  const { wallet: walletAddress } = shopper;
  if (walletAddress === null) return undefined;
  const page = { page: 1, limit: RECORDS_MAX, after: "" };
  const { customers } = await services.customers.listCustomers({
    ...ANY_CUSTOMER,
    page,
    walletAddress,
  });
  return { walletAddress, customerIds: customers.map(({ id }) => id) };
}
