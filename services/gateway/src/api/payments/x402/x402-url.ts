import type { Deps } from "../../../pipeline/deps.ts";
import { createTicket } from "../../../pipeline/payment-ticket.ts";

/** Without a ticket, as a name of the payment. */
export function buildResourceUrl({ publicUrl }: Pick<Deps, "publicUrl">, id: string): string {
  return `${publicUrl.replace(/\/$/, "")}/v1/payments/${id}/x402`;
}

/** Whoever has it can pay the payment and read its status. */
export function buildX402Url(deps: Pick<Deps, "publicUrl" | "peppers">, id: string): string {
  return `${buildResourceUrl(deps, id)}?ticket=${createTicket(id, deps.peppers)}`;
}
