import { Failure, isFailureKind } from "@pay/failures";
import { createChecked } from "../../idempotency/checked-creation.ts";
import type { Services } from "../../services/services.ts";

/** Why a valid request creates no payment. */
export const CREATION_FAILURES = [
  "variant_unknown",
  "chain_unsupported",
  "customer_unknown",
  "client_secret_unavailable",
] as const;

type Order = Omit<Parameters<Services["payments"]["createPayment"]>[0], "replayOnly">;
type Created = ReturnType<Services["payments"]["createPayment"]>;

/** A payment may name the customer it is for, who must exist, and must pass what the project's settings ask for now. */
export function createPayment(services: Services, order: Order, check: () => void): Created {
  return createChecked({
    isRepeatable: order.idempotency !== undefined,
    check: async () => {
      check();
      if (order.customerId !== undefined) await checkCustomer(services, order.customerId);
    },
    create: (replayOnly) => services.payments.createPayment({ ...order, replayOnly }),
  });
}

/** A customer of another project, or of the other mode, is not found. */
async function checkCustomer({ customers }: Services, id: string): Promise<void> {
  try {
    await customers.getCustomer({ id });
  } catch (error) {
    if (!isFailureKind("not_found", error)) throw error;
    throw new Failure("customer_unknown", "customerId must be the id of a customer");
  }
}
