// What belongs to a shopper, in one place. A customer record is theirs when its wallet is the session's; a payment
// when it names such a record, or when the wallet is its payer or its sender; a refund when its payment is theirs.
// Everything else does not exist for them.
import type { Customer, Payment, Refund } from "@pay/proto";
import { Failure } from "@pay/rpc";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { ShopperCall } from "../route.ts";

const RECORDS_MAX = 100;

/** Of what answers show on request, what merchants do not write for themselves alone. */
const SHOWN = new Set([
  ...["description", "recipientAddress", "orderId", "qrMode", "customerId", "payerAddress"],
  ...["receivedAmount", "failureCode", "expiresAt", "refundedAt", "email", "paymentId"],
  ...["createdAt", "completedAt", "chainId", "currency", "destinationAddress", "submittedTxHash"],
  ...["refunds", "transfers", "timeline"],
]);

export const checkShown = ({ expand }: { expand?: readonly string[] | undefined }): void => {
  const hidden = expand?.find((name) => !SHOWN.has(name));
  if (hidden === undefined) return;
  throw new Failure("permission_denied", `expand=${hidden} is not open to a session`);
};

type Asked = Pick<ShopperCall, "caller" | "requestId" | "shopper">;

export const ownCustomer = async (call: Asked, deps: Deps, id: string): Promise<Customer> => {
  const request = { tenant: tenantOf(call.caller), id };
  const { customer } = await deps.customers.getCustomer(request, deps.callOptions(call));
  if (customer !== undefined && customer.walletAddress.toLowerCase() === call.shopper.wallet) {
    return customer;
  }
  throw new Failure("not_found", "Customer not found");
};

export const ownPayment = async (call: Asked, deps: Deps, id: string): Promise<Payment> => {
  const payment = await deps.getPayment({ tenant: tenantOf(call.caller), id });
  if (await isOwn(call, deps, payment)) return payment;
  throw new Failure("not_found", "Payment not found");
};

const isOwn = async (call: Asked, deps: Deps, payment: Payment): Promise<boolean> => {
  const { wallet } = call.shopper;
  const { payerAddress, senderAddress, customerId } = payment;
  if (wallet === null) return false;
  if (payerAddress === wallet || senderAddress === wallet) return true;
  return customerId !== undefined && isThere(ownCustomer(call, deps, customerId));
};

/** Whether what was asked for is there; only its absence is an answer, every other failure stays one. */
const isThere = async (found: Promise<unknown>): Promise<boolean> => {
  try {
    await found;
    return true;
  } catch (error) {
    if (error instanceof Failure && error.kind === "not_found") return false;
    throw error;
  }
};

export const ownRefund = async (call: Asked, deps: Deps, id: string): Promise<Refund> => {
  const request = { tenant: tenantOf(call.caller), id };
  const { refund } = await deps.refunds.getRefund(request, deps.callOptions(call));
  if (refund !== undefined && (await isThere(ownPayment(call, deps, refund.paymentId)))) {
    return refund;
  }
  throw new Failure("not_found", "Refund not found");
};

/** Whether this is a payment of the shopper's. */
export const ownsPayment = (call: Asked, deps: Deps, id: string): Promise<boolean> =>
  isThere(ownPayment(call, deps, id));

/** Whose payments or refunds a list holds. */
export interface Owner {
  walletAddress: string;
  customerIds: string[];
}

/** For lists of payments and refunds; undefined: the shopper owns none. */
export const ownerOf = async (call: Asked, deps: Deps): Promise<Owner | undefined> => {
  const { wallet: walletAddress } = call.shopper;
  if (walletAddress === null) return undefined;
  const page = { page: 1, limit: RECORDS_MAX, after: "" };
  const { customers } = await deps.customers.listCustomers(
    { tenant: tenantOf(call.caller), page, walletAddress },
    deps.callOptions(call),
  );
  return { walletAddress, customerIds: customers.map(({ id }) => id) };
};
