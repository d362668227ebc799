// What belongs to payments but is kept elsewhere; asked for only when the merchant asks for it, only with the right
// to read it there, and for a whole list of payments in one call each.
import type { Payment } from "@pay/proto";
import { checkScope, type Scope, tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Call } from "../route.ts";
import { renderCustomer } from "../shapes/customer.ts";
import { PAYMENT_RELATIONS, type PaymentRelation } from "../shapes/payment.ts";
import { renderRefund } from "../shapes/refund.ts";
import { renderStep } from "../shapes/step.ts";
import { renderTransfer } from "../shapes/transfer.ts";

type Asked = Pick<
  Call<{ expand?: readonly string[] | undefined }>,
  "caller" | "requestId" | "query"
>;

/** One value per payment, in their order. */
type Relation = (call: Asked, deps: Deps, payments: readonly Payment[]) => Promise<unknown[]>;

/** What a restricted key needs besides the right to read payments. */
const SCOPES: Partial<Record<PaymentRelation, Scope>> = {
  customer: "customers:read",
  refunds: "refunds:read",
};

/** The fields that each payment shows besides, in the order of the payments. */
export const relationsOf = async (
  call: Asked,
  deps: Deps,
  payments: readonly Payment[],
): Promise<object[]> => {
  const asked = PAYMENT_RELATIONS.filter((name) => call.query.expand?.includes(name));
  for (const name of asked) checkScope(call.caller, SCOPES[name]);
  if (payments.length === 0) return [];
  const values = await Promise.all(asked.map((name) => RELATIONS[name](call, deps, payments)));
  return payments.map((_, at) =>
    Object.fromEntries(asked.map((name, which) => [name, values[which]?.[at]])),
  );
};

/** Whom the payment names, else whose wallet pays it. Null where that is nobody, or was erased. */
const customersOf: Relation = async (call, deps, payments) => {
  const ids = new Set(payments.flatMap(({ customerId }) => customerId ?? []));
  const wallets = new Set(payments.flatMap((payment) => unnamedPayerOf(payment) ?? []));
  if (ids.size + wallets.size === 0) return payments.map(() => null);
  const { customers, ofWallets } = await deps.customers.batchGetCustomers(
    { tenant: tenantOf(call.caller), ids: [...ids], walletAddresses: [...wallets] },
    deps.callOptions(call),
  );
  const found = new Map([
    ...customers.map((customer) => [customer.id, customer] as const),
    ...ofWallets.map((customer) => [customer.walletAddress.toLowerCase(), customer] as const),
  ]);
  return payments.map((payment) => {
    const customer = found.get(payment.customerId ?? unnamedPayerOf(payment) ?? "");
    return customer === undefined ? null : renderCustomer(customer);
  });
};

const unnamedPayerOf = ({ customerId, payerAddress, senderAddress }: Payment) =>
  customerId === undefined ? payerAddress || senderAddress || undefined : undefined;

const refundsOf: Relation = async (call, deps, payments) => {
  const request = { tenant: tenantOf(call.caller), paymentIds: payments.map(({ id }) => id) };
  const { refunds } = await deps.refunds.batchListRefunds(request, deps.callOptions(call));
  const found = Map.groupBy(refunds, ({ paymentId }) => paymentId);
  return payments.map(({ id }) => (found.get(id) ?? []).map((refund) => renderRefund(refund)));
};

const transfersOf: Relation = async (call, deps, payments) => {
  const request = { tenant: tenantOf(call.caller), subjectIds: payments.map(({ id }) => id) };
  const { transfers } = await deps.chains.batchGetTransfers(request, deps.callOptions(call));
  const found = Map.groupBy(transfers, ({ subjectId }) => subjectId);
  return payments.map(({ id, decimals }) =>
    (found.get(id) ?? []).map((transfer) => renderTransfer(transfer, decimals)),
  );
};

const timelinesOf: Relation = async (call, deps, payments) => {
  const request = { tenant: tenantOf(call.caller), ids: payments.map(({ id }) => id) };
  const { timelines } = await deps.payments.batchGetTimelines(request, deps.callOptions(call));
  return timelines.map(({ steps }) => steps.map(renderStep));
};

const RELATIONS: Record<PaymentRelation, Relation> = {
  customer: customersOf,
  refunds: refundsOf,
  transfers: transfersOf,
  timeline: timelinesOf,
};
