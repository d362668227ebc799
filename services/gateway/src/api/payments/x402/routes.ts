// A payment as a resource that costs money: clients of x402 pay it by a signature, without knowing this API.
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";
import { z } from "zod";
import { forwardOnce } from "../../../idempotency/forwarded-call.ts";
import type { Deps } from "../../../pipeline/deps.ts";
import { TICKET_LENGTH_MAX } from "../../../pipeline/payment-ticket.ts";
import { type Call, route } from "../../../pipeline/route.ts";
import { findOwnPayment } from "../../../sessions/ownership.ts";
import { buildRule } from "../../field-rules.ts";
import { findDomain, findEnd, isUnsettled } from "../authorization.ts";
import { AUTHORIZATION_FAILURES } from "../authorize-payment.ts";
import { computeDue, isPaid } from "../due.ts";
import { getPayTo } from "../response.ts";
import { showStatus } from "../show-status.ts";
import { paymentStatus } from "../status-response.ts";
import {
  encode,
  parsePayment,
  type RefusalName,
  type Requirements,
  SCHEME,
  SIGNATURE_HEADER,
  toNetwork,
  X402_VERSION,
} from "./protocol.ts";
import { type Refusal, type Settlement, settle } from "./settle.ts";
import { buildResourceUrl } from "./x402-url.ts";

const TIMEOUT_SECONDS_MAX = 3_600;

const ticketRule = buildRule(`be a string of 1 to ${TICKET_LENGTH_MAX} characters`);
const ticket = z.object({
  ticket: z
    .string(ticketRule)
    .min(1, ticketRule)
    .max(TICKET_LENGTH_MAX, ticketRule)
    .optional()
    .describe("Ticket of `x402Url`, in place of the client secret."),
});

export const payByX402Route = route({
  tag: "Payments",
  auth: "publishable",
  id: { prefix: "pay", noun: "Payment" },
  summary: "Pay as a client of x402: 402 with what to sign, then the status of the paid payment",
  headers: [
    {
      name: "PAYMENT-SIGNATURE",
      description: "Payment payload of x402, version 2.",
      maxLength: 8_192,
    },
  ],
  query: ticket,
  response: paymentStatus,
  success: 200,
  failures: [
    "client_secret_invalid",
    "payment_required",
    "authorization_spent",
    ...AUTHORIZATION_FAILURES,
  ],
  limit: "confirm",
  handle: async () => {
    throw new Failure("client_secret_invalid", "X-Client-Secret or the ticket is missing");
  },
  client: {
    takesTicket: true,
    handle: (call, deps) => payByX402(call, deps, call.payment),
  },
  session: {
    handle: async (call, deps) => payByX402(call, deps, await findOwnPayment(call, call.params.id)),
  },
});

type Kept = { refused: Refusal } | { settled?: Settlement; status: Record<string, unknown> };

async function payByX402(call: Call, deps: Deps, payment: Payment): Promise<object> {
  const signature = call.header(SIGNATURE_HEADER);
  const now = deps.clock.now();
  const chain = (await deps.catalog.chains()).find(({ chainId }) => chainId === payment.chainId);
  const due = computeDue({ payment, now });
  const domain = findDomain(payment, chain);

  async function write(): Promise<Kept> {
    if (signature === undefined) return { status: await showStatus(deps, payment) };
    if (domain === undefined) throw unsupported();
    const signed = parsePayment(signature);
    const outcome = await settle(call, deps, { payment, signed, due });
    if ("reason" in outcome) return { refused: outcome };
    const { id } = payment;
    const paid = await call.services.payments.getPayment({ id });
    return { settled: outcome, status: await showStatus(deps, paid) };
  }

  function refuse(error: "PAYMENT-SIGNATURE is missing" | RefusalName): Failure {
    if (domain !== undefined && due !== undefined) {
      const accepts = [buildRequirements(payment, { domain, due: `${due}`, now })];
      const resource = {
        url: buildResourceUrl(deps, payment.id),
        description: payment.description ?? "",
        mimeType: "application/json",
      };
      call.reply(
        "PAYMENT-REQUIRED",
        encode({ x402Version: X402_VERSION, error, resource, accepts }),
      );
    }
    return new Failure("payment_required", error);
  }

  if (signature === undefined && !(await isSettled(call, payment))) {
    if (due === undefined) throw closed();
    if (domain === undefined) throw unsupported();
    throw refuse("PAYMENT-SIGNATURE is missing");
  }
  const kept = (await forwardOnce(deps, call, { write, salt: signature ?? "" })) as Kept;
  const network = toNetwork(payment.chainId);
  if ("refused" in kept) {
    const { reason, payer } = kept.refused;
    const answer = { success: false, errorReason: reason, payer, transaction: "", network };
    call.reply("PAYMENT-RESPONSE", encode(answer));
    throw refuse(reason);
  }
  if (kept.settled !== undefined) {
    call.reply("PAYMENT-RESPONSE", encode({ success: true, ...kept.settled, network }));
  }
  return kept.status;
}

function unsupported(): Failure {
  return new Failure("authorization_unsupported", "Nobody pays the gas for this currency");
}

function closed(): Failure {
  return new Failure("payment_status_invalid", "Payment cannot be paid any more");
}

/** Also before its transfer is known here: who comes again without the answer must not sign again. */
async function isSettled({ services }: Pick<Call, "services">, payment: Payment): Promise<boolean> {
  if (isPaid(payment)) return true;
  if (payment.currency === "native") return false;
  const { authorization: last } = await services.chains.getAuthorization({ paymentId: payment.id });
  if (isUnsettled(last?.state)) {
    throw new Failure(
      "authorization_pending",
      "An authorization of the payment is not settled yet",
    );
  }
  return last?.state === "used" && !last.isLost;
}

function buildRequirements(
  payment: Payment,
  {
    domain,
    due,
    now,
  }: { domain: NonNullable<ReturnType<typeof findDomain>>; due: string; now: Date },
): Requirements {
  const left = findEnd(payment, now) - Math.floor(now.getTime() / 1_000);
  return {
    scheme: SCHEME,
    network: toNetwork(payment.chainId),
    amount: due,
    asset: payment.currency,
    payTo: getPayTo(payment),
    maxTimeoutSeconds: Math.min(left, TIMEOUT_SECONDS_MAX),
    extra: { assetTransferMethod: "eip3009", name: domain.name, version: domain.version },
  };
}
