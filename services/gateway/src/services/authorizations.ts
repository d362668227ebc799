// The last authorization of a payment, for its page. A page without it pays as before, so nobody waits long for it.
import type { ChainsService, GetAuthorizationResponse, Payment } from "@pay/proto";
import type { Client } from "@pay/rpc";

const TIMEOUT_MS = 500;

export type FindAuthorization = (
  payment: Pick<Payment, "projectId" | "mode" | "id">,
) => Promise<GetAuthorizationResponse | undefined>;

export function createAuthorizationReader(
  chains: Pick<Client<typeof ChainsService>, "getAuthorization">,
): FindAuthorization {
  return ({ projectId, mode, id }) =>
    chains
      .getAuthorization({ tenant: { projectId, mode }, paymentId: id }, { timeoutMs: TIMEOUT_MS })
      .catch(() => undefined);
}
