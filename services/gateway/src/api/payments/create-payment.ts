import { Failure, isFailureOf } from "@pay/failures";
import type { Services } from "../../services/services.ts";

/** Why a valid request creates no payment. */
export const CREATION_FAILURES = [
  "variant_unknown",
  "chain_unsupported",
  "customer_unknown",
  "client_secret_unavailable",
] as const;

type Order = Parameters<Services["payments"]["createPayment"]>[0];
type Created = ReturnType<Services["payments"]["createPayment"]>;

/**
 * A payment may name the customer it is for, who must exist, and must pass what the project's settings ask for now. A repeated
 * request gets its first answer, even when the customer has been erased, customers is away or the settings are others since.
 */
export async function createPayment(services: Services, order: Order, check: () => void): Created {
  try {
    check();
    if (order.customerId !== undefined) await checkCustomer(services, order.customerId);
  } catch (refusal) {
    if (order.idempotency === undefined) throw refusal;
    const replay = services.payments.createPayment({ ...order, replayOnly: true });
    return replay.catch((error: unknown) => {
      throw isNotFound(error) ? refusal : error;
    });
  }
  return services.payments.createPayment(order);
}

function isNotFound(error: unknown): boolean {
  return isFailureOf("not_found", error);
}

/** A customer of another project, or of the other mode, is not found. */
async function checkCustomer({ customers }: Services, id: string): Promise<void> {
  try {
    await customers.getCustomer({ id });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Failure("customer_unknown", "customerId must be the id of a customer");
  }
}
