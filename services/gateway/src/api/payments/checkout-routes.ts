// The routes of a shopper's page: with the payment's client secret, or with a shopper's session.
import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";
import type { Deps } from "../../pipeline/deps.ts";
import { toNetwork } from "../../pipeline/limits/network.ts";
import { type Following, route } from "../../pipeline/route.ts";
import { readSessionToken } from "../../sessions/customer-sessions.ts";
import { findOwnPayment } from "../../sessions/ownership.ts";
import type { FollowedPayment } from "../../streams/streams.ts";
import { ADDRESS, TX_HASH } from "../example-values.ts";
import {
  AUTHORIZATION_FAILURES,
  authorizePayment,
  payerAuthorization,
  payerAuthorizationWithSecret,
  submittedAuthorization,
} from "./authorize-payment.ts";
import { declarePayer, extendPayment, PAYER_FAILURES } from "./change-payment.ts";
import { handOffPayment, openPayment } from "./hand-off.ts";
import { ADMITTED, bySecret, bySession } from "./proof-of-right.ts";
import {
  confirmation,
  extension,
  handoffCode,
  noFields,
  payerDeclaration,
  payerDeclarationWithSecret,
  submission,
} from "./request.ts";
import { changedPayment, handoff, openedPayment, submittedPayment } from "./response.ts";
import { type StatusDeps, showStatus } from "./show-status.ts";
import { paymentStatus, statusTag } from "./status-response.ts";
import { SUBMISSION_FAILURES, submitTransaction } from "./submit-transaction.ts";

const PAYMENT = { prefix: "pay", noun: "Payment" } as const;

export const confirmPaymentRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Submit the transaction hash of a payment, from the customer's browser",
  example: { response: { status: "processing", txHash: TX_HASH } },
  body: confirmation,
  response: submittedPayment,
  success: 200,
  failures: ["client_secret_invalid", ...SUBMISSION_FAILURES],
  limit: "confirm",
  handle: (call, deps) => submitTransaction(call, deps, bySecret(call, call.body.clientSecret)),
  client: {
    body: submission,
    handle: (call, deps) => submitTransaction(call, deps, ADMITTED),
  },
  session: {
    body: confirmation.partial({ clientSecret: true }),
    handle: (call, deps) => submitTransaction(call, deps, bySession(call)),
  },
});

export const declarePayerRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Declare the payer's wallet",
  example: { response: { payerAddress: ADDRESS } },
  body: payerDeclarationWithSecret,
  response: changedPayment,
  success: 200,
  failures: ["client_secret_invalid", ...PAYER_FAILURES],
  limit: "confirm",
  handle: (call, deps) => declarePayer(call, deps, bySecret(call, call.body.clientSecret)),
  client: {
    body: payerDeclaration,
    handle: (call, deps) => declarePayer(call, deps, ADMITTED),
  },
  session: {
    body: payerDeclarationWithSecret.partial({ clientSecret: true }),
    handle: (call, deps) => declarePayer(call, deps, bySession(call)),
  },
});

export const authorizePaymentRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Pay by a signature of the customer's wallet, without gas (EIP-3009)",
  body: payerAuthorizationWithSecret,
  response: submittedAuthorization,
  success: 200,
  failures: ["client_secret_invalid", ...AUTHORIZATION_FAILURES],
  limit: "confirm",
  handle: (call, deps) => authorizePayment(call, deps, bySecret(call, call.body.clientSecret)),
  client: {
    body: payerAuthorization,
    handle: (call, deps) => authorizePayment(call, deps, ADMITTED),
  },
  session: {
    body: payerAuthorizationWithSecret.partial({ clientSecret: true }),
    handle: (call, deps) => authorizePayment(call, deps, bySession(call)),
  },
});

export const extendPaymentRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Extend the time limit of a payment",
  body: extension,
  response: changedPayment,
  success: 200,
  failures: [
    "client_secret_invalid",
    "payment_expired",
    "payment_status_invalid",
    "payment_extensions_exhausted",
    "state_contended",
  ],
  limit: "confirm",
  handle: (call, deps) => extendPayment(call, deps, bySecret(call, call.body.clientSecret)),
  client: {
    body: noFields,
    handle: (call, deps) => extendPayment(call, deps, ADMITTED),
  },
  session: {
    body: extension.partial({ clientSecret: true }),
    handle: (call, deps) => extendPayment(call, deps, bySession(call)),
  },
});

export const handOffPaymentRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Create a one-time link that opens the payment in another browser, e.g. inside a wallet",
  body: extension,
  response: handoff,
  success: 200,
  failures: ["client_secret_invalid", "payment_expired", "payment_status_invalid"],
  limit: "confirm",
  handle: (call, deps) => handOffPayment(call, deps, bySecret(call, call.body.clientSecret)),
  client: {
    body: noFields,
    handle: (call, deps) => handOffPayment(call, deps, ADMITTED),
  },
  session: {
    body: extension.partial({ clientSecret: true }),
    handle: (call, deps) => handOffPayment(call, deps, bySession(call)),
  },
});

export const openPaymentRoute = route({
  tag: "Payments",
  // The browser that comes with the code has nothing else yet.
  auth: "none",
  id: PAYMENT,
  summary: "Exchange a hand-off code for the client secret, once",
  body: handoffCode,
  response: openedPayment,
  success: 200,
  failures: ["handoff_invalid"],
  limit: "open",
  handle: openPayment,
});

function secretMissing(): Failure {
  return new Failure("client_secret_invalid", "X-Client-Secret is missing");
}

/** The secret in the header has read it already. */
async function followedPayment(call: Following["call"]): Promise<Payment> {
  const { payment, shopper } = call;
  if (payment !== undefined) return payment;
  if (shopper === undefined) throw secretMissing();
  return findOwnPayment({ ...call, shopper }, call.params.id);
}

export const readStatusRoute = route({
  tag: "Payments",
  auth: "publishable",
  id: PAYMENT,
  summary: "Read the status of a payment and the details that a wallet needs to pay it",
  response: paymentStatus,
  success: 200,
  failures: ["client_secret_invalid"],
  limit: "confirm",
  getTag: statusTag,
  follow: {
    description:
      "Events named status, each with this answer as its data, at once and after every change of the payment.",
    open: async ({ call, arrivedMs, request, response, clientAddress }, deps) =>
      deps.streams.open({
        payment: await followedPayment(call),
        arrivedMs,
        response,
        address: toNetwork(clientAddress()),
        admit: call.shopper && createSessionCheck(deps, request.headers),
        read: () => call.services.payments.getPayment({ id: call.params.id }),
        render: createRenderer(deps),
      }),
  },
  handle: async () => {
    throw secretMissing();
  },
  client: { handle: ({ payment }, deps) => showStatus(deps, payment) },
  session: {
    handle: async (call, deps) => showStatus(deps, await findOwnPayment(call, call.params.id)),
  },
});

/** Reads the session again; of the request it keeps the two credentials. */
function createSessionCheck(
  { authenticator, shoppers }: Pick<Deps, "authenticator" | "shoppers">,
  { authorization = "", "x-publishable-key": key = "" }: IncomingHttpHeaders,
): () => Promise<unknown> {
  return async () => {
    const headers = { authorization, "x-publishable-key": key };
    const caller = await authenticator.authenticate(headers, "publishable");
    return shoppers.find(readSessionToken(headers) ?? "", caller);
  };
}

/** Made here, because a function that is made where a request is handled keeps the request. */
function createRenderer(deps: StatusDeps) {
  return (payment: FollowedPayment) => showStatus(deps, payment);
}
