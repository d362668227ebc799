// Records that belong to payments and are stored elsewhere. They are read only when the request names them, only with
// the right to read them, and for a whole list of payments in one call each.
import type { Payment } from "@pay/proto";
import { toAddress } from "@pay/values";
import { checkScope, type Scope } from "../../keys/caller.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { renderCustomer } from "../customers/response.ts";
import { renderRefund } from "../refunds/response.ts";
import { checkoutUrl } from "./checkout-url.ts";
import { PAYMENT_RELATIONS, type PaymentRelation } from "./response.ts";
import { renderStep } from "./step-response.ts";
import { renderAttribution, renderTransfer } from "./transfer-response.ts";

type Asked = Pick<
  Call<{ expand?: readonly string[] | undefined }>,
  "caller" | "services" | "query"
>;
type Part = Pick<Deps, "publicUrl">;

/** One value per payment, in their order. */
type Relation = (
  call: Asked,
  payments: readonly Payment[],
  deps: Part,
) => Promise<unknown[]> | unknown[];

/** What a restricted key needs besides the right to read payments. */
const SCOPES: Partial<Record<PaymentRelation, Scope>> = {
  customer: "customers:read",
  refunds: "refunds:read",
  // The link opens the payment to whoever has it, as a creation does.
  checkoutUrl: "payments:write",
};

/** Whether the payments must be read with their client secrets. */
export function needsClientSecret({ query }: Pick<Asked, "query">): boolean {
  return query.expand?.includes("checkoutUrl") ?? false;
}

/** The fields that each payment shows besides, in the order of the payments. */
export async function loadRelations(
  call: Asked,
  deps: Part,
  payments: readonly Payment[],
): Promise<object[]> {
  const asked = PAYMENT_RELATIONS.filter((name) => call.query.expand?.includes(name));
  for (const name of asked) checkScope(call.caller, SCOPES[name]);
  if (payments.length === 0) return [];
  const values = await Promise.all(asked.map((name) => RELATIONS[name](call, payments, deps)));
  return payments.map((_, at) =>
    Object.fromEntries(asked.map((name, which) => [name, values[which]?.[at]])),
  );
}

/** The customer that the payment names, else the one whose wallet pays it; null where there is none. */
const loadCustomers: Relation = async ({ services }, payments) => {
  const ids = new Set(payments.flatMap(({ customerId }) => customerId ?? []));
  const wallets = new Set(payments.flatMap((payment) => findUnnamedPayer(payment) ?? []));
  if (ids.size + wallets.size === 0) return payments.map(() => null);
  const { customers, ofWallets } = await services.customers.batchGetCustomers({
    ids: [...ids],
    walletAddresses: [...wallets],
  });
  const found = new Map([
    ...customers.map((customer) => [customer.id, customer] as const),
    ...ofWallets.map((customer) => [toAddress(customer.walletAddress), customer] as const),
  ]);
  return payments.map((payment) => {
    const customer = found.get(payment.customerId ?? findUnnamedPayer(payment) ?? "");
    return customer === undefined ? null : renderCustomer(customer);
  });
};

function findUnnamedPayer({ customerId, payerAddress, senderAddress }: Payment) {
  return customerId === undefined ? payerAddress || senderAddress || undefined : undefined;
}

const loadRefunds: Relation = async ({ services }, payments) => {
  const paymentIds = payments.map(({ id }) => id);
  const { refunds } = await services.refunds.batchListRefunds({ paymentIds });
  const found = Map.groupBy(refunds, ({ paymentId }) => paymentId);
  return payments.map(({ id }) => (found.get(id) ?? []).map((refund) => renderRefund(refund)));
};

function loadTransfers(render: typeof renderTransfer): Relation {
  return async ({ services }, payments) => {
    const subjectIds = payments.map(({ id }) => id);
    const { transfers } = await services.chains.batchGetTransfers({ subjectIds });
    const found = Map.groupBy(transfers, ({ subjectId }) => subjectId);
    return payments.map(({ id, decimals }) =>
      (found.get(id) ?? []).map((transfer) => render(transfer, decimals)),
    );
  };
}

/** Who works at the shop is no matter of its shoppers. */
const loadTimelines: Relation = async ({ services, caller }, payments) => {
  const ids = payments.map(({ id }) => id);
  const { timelines } = await services.payments.batchGetTimelines({ ids });
  const isShopper = caller.type === "publishable";
  return timelines.map(({ steps }) =>
    steps.map(({ madeBy, ...step }) => renderStep(isShopper ? step : { ...step, madeBy })),
  );
};

/** A link to a payment that its client secret opens no more would lead nowhere. */
const buildCheckoutUrls: Relation = (_call, payments, deps) =>
  payments.map((payment) => (payment.clientSecret === "" ? null : checkoutUrl(deps, payment)));

const RELATIONS: Record<PaymentRelation, Relation> = {
  customer: loadCustomers,
  refunds: loadRefunds,
  transfers: loadTransfers(renderTransfer),
  attribution: loadTransfers(renderAttribution),
  timeline: loadTimelines,
  checkoutUrl: buildCheckoutUrls,
};
