// The shopper's credential for one payment, from a header or from the address.
import type { IncomingHttpHeaders } from "node:http";
import { Failure, isFailureKind } from "@pay/failures";
import { Mode, type Payment } from "@pay/proto";
import { isId } from "@pay/values";
import type { Caller } from "../keys/caller.ts";
import type { Peppers } from "../keys/pepper.ts";
import type { Deps } from "./deps.ts";
import type { Limits } from "./limits/limits.ts";
import { isTicket, readTicket } from "./payment-ticket.ts";
import type { Incoming, Route } from "./route.ts";

const CLIENT_SECRET = "x-client-secret";
const CLIENT_SECRET_LENGTH_MAX = 200;

export interface ClientCredential {
  /** Empty beside a ticket. A wrong ticket is refused and counted as a wrong secret is. */
  clientSecret: string;
  trusted: boolean;
  isTicket: boolean;
}

/** The client secret in the header, or the ticket in the address, on a route that takes them. */
export function readClient(
  { client }: Pick<Route, "client">,
  { request, queryText, params }: Incoming,
  peppers: Peppers,
): ClientCredential | undefined {
  const clientSecret = client && deriveClientSecret(request.headers);
  if (clientSecret !== undefined) return { clientSecret, trusted: false, isTicket: false };
  const ticket = client?.takesTicket ? readTicket(queryText) : undefined;
  if (ticket === undefined) return undefined;
  return { clientSecret: "", trusted: isTicket(ticket, params.id, peppers), isTicket: true };
}

function deriveClientSecret(headers: IncomingHttpHeaders): string | undefined {
  const secret = headers[CLIENT_SECRET];
  return typeof secret === "string" ? secret : undefined;
}

/** A wrong secret counts against the payment where the project is known, else against the address alone. */
export async function openPayment(
  { deps, limits }: { deps: Pick<Deps, "openPayment">; limits: Limits },
  incoming: Incoming,
  known: Caller | undefined,
  claim: { id: string; clientSecret: string; trusted: boolean; requestId: string },
): Promise<Payment> {
  try {
    const wellFormed =
      isId("pay", claim.id) && claim.clientSecret.length <= CLIENT_SECRET_LENGTH_MAX;
    if (!wellFormed) throw refuseSecret();
    const payment = await deps.openPayment(claim);
    if (known !== undefined && !isOwnPayment(payment, known)) throw refuseSecret();
    return payment;
  } catch (error) {
    if (isFailureKind("permission_denied", error)) {
      if (known === undefined) await limits.takeWrongKey(incoming, incoming.response);
      else limits.noteWrongSecret(known, incoming);
    }
    throw error;
  }
}

function refuseSecret(): Failure {
  return new Failure("client_secret_invalid", "clientSecret is not valid for this payment");
}

function isOwnPayment({ projectId, mode }: Payment, caller: Caller): boolean {
  return projectId === caller.projectId && toMode(mode) === caller.mode;
}

export function toMode(mode: Mode): Caller["mode"] {
  return mode === Mode.TEST ? "test" : "live";
}
