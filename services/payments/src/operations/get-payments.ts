import type { GetPayment } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findPayments } from "../storage.ts";
import { toMessage } from "../wire.ts";
import type { Answer } from "./list.ts";

export const PAYMENT_NOT_FOUND = "Payment not found";

export const getPayments = async (deps: Deps, requests: GetPayment[]): Promise<Answer[]> => {
  const asked = requests.map(({ tenant, id }) => ({ tenant: tenantOf(tenant), id }));
  const found = await findPayments(deps.db.pool, asked);
  return found.map((payment) =>
    payment === undefined
      ? new Failure("not_found", PAYMENT_NOT_FOUND)
      : { payment: toMessage(payment) },
  );
};
