// What belongs to a payment but lies with another service; asked for only when the merchant asks for it, and only
// with the right to read it there.
import type { Payment } from "@pay/proto";
import { Failure } from "@pay/rpc";
import { checkScope, tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Call } from "../route.ts";
import { renderCustomer } from "../shapes/customer.ts";
import { renderRefund } from "../shapes/refund.ts";

/** No payment has more refunds than this. */
const REFUNDS_MAX = 50;

type Asked = Call<{ expand?: readonly string[] | undefined }>;

export const relationsOf = async (call: Asked, deps: Deps, payment: Payment): Promise<object> => {
  const asked = (name: string) => call.query.expand?.includes(name) ?? false;
  const [customer, refunds] = await Promise.all([
    asked("customer") ? customerOf(call, deps, payment) : undefined,
    asked("refunds") ? refundsOf(call, deps, payment) : undefined,
  ]);
  return {
    ...(customer === undefined ? {} : { customer }),
    ...(refunds === undefined ? {} : { refunds }),
  };
};

/** Null for a payment that names nobody, or somebody who was erased. */
const customerOf = async (
  call: Asked,
  deps: Deps,
  { customerId }: Payment,
): Promise<object | null> => {
  checkScope(call.caller, "customers:read");
  if (customerId === undefined) return null;
  const request = { tenant: tenantOf(call.caller), id: customerId };
  try {
    const { customer } = await deps.customers.getCustomer(request, deps.callOptions(call));
    return customer === undefined ? null : renderCustomer(customer);
  } catch (error) {
    if (error instanceof Failure && error.kind === "not_found") return null;
    throw error;
  }
};

const refundsOf = async (call: Asked, deps: Deps, { id }: Payment): Promise<object[]> => {
  checkScope(call.caller, "refunds:read");
  const { refunds } = await deps.refunds.listRefunds(
    {
      tenant: tenantOf(call.caller),
      page: { page: 1, limit: REFUNDS_MAX, after: "" },
      paymentId: id,
    },
    deps.callOptions(call),
  );
  return refunds.map((refund) => renderRefund(refund));
};
