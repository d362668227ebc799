// Takes what a payer has signed, and hands it to chains, which tries and sends it.
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";
import {
  type Amount,
  AUTHORIZATION_STATES,
  toAddress,
  toAuthorizationNonce,
  toAuthorizedReference,
  toReference,
} from "@pay/values";
import { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { PAY_ID, TX_HASH } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";
import { requireField } from "../response-fields.ts";
import { findDomain, findEnd } from "./authorization.ts";
import { computeDue } from "./due.ts";
import { type ProofOfRight, repeatedBy } from "./proof-of-right.ts";
import { getPayTo } from "./response.ts";

/** Why an authorization is refused. */
export const AUTHORIZATION_FAILURES = [
  "authorization_invalid",
  "authorization_pending",
  "authorization_unsupported",
  "payer_screened",
  "payment_status_invalid",
  "sponsor_exhausted",
] as const;

const REFUSED = "The token refuses the authorization";
const REFUSALS: Record<string, string> = {
  signature: "The token refuses the signature",
  funds: "The wallet has less of the token than the value",
  spent: "The nonce is spent or cancelled",
};

const digits = buildRule("be a string of digits");
function count(description: string, max: number, example: string) {
  return z
    .string(digits)
    .regex(/^[0-9]+$/, digits)
    .max(max, digits)
    .meta({ description, example });
}

const nonceRule = buildRule("be 0x and 64 hex digits");
const authorization = z
  .object({
    from: field.address().describe("The payer's wallet, which has signed."),
    to: field.address().describe("`payTo` of the payment."),
    value: count("`dueBaseAmount` of the payment.", 78, "12500000"),
    validAfter: count("Time after which it is valid, in seconds since 1970.", 15, "0"),
    validBefore: count("Time before which it is valid, in seconds since 1970.", 15, "1769862600"),
    nonce: z
      .string(nonceRule)
      .regex(/^0x[0-9a-fA-F]{64}$/, nonceRule)
      .meta({
        description: "Nonce; it begins with the reference of the payment.",
        example: toAuthorizationNonce(toReference(PAY_ID), 0),
      }),
  })
  .describe("The message of the typed data, as the wallet has signed it.");

export const payerAuthorization = z.object({
  authorization,
  signature: field
    .signature()
    .meta({ description: "Signature of the typed data, in hex.", example: `0x${"1b".repeat(65)}` }),
});

/** What a payer has signed, as the chains service takes it. */
export function toSigned({
  authorization: signed,
  signature,
}: z.output<typeof payerAuthorization>) {
  return {
    payer: signed.from,
    recipient: signed.to,
    baseAmount: signed.value,
    validAfter: BigInt(signed.validAfter),
    validBefore: BigInt(signed.validBefore),
    nonce: signed.nonce.toLowerCase(),
    signature,
  };
}

export const payerAuthorizationWithSecret = z.object({
  clientSecret: field.clientSecret(),
  ...payerAuthorization.shape,
});

export const submittedAuthorization = z
  .strictObject({
    status: shown.choice(
      AUTHORIZATION_STATES,
      "State of the authorization; `cancelled`, `expired` and `failed` were never spent.",
      "sent",
    ),
    txHash: shown.stringOrNull("Transaction that spends it; null before one is sent.", TX_HASH),
  })
  .meta({ id: "SubmittedAuthorization" });

type Submission = Call<unknown, z.output<typeof payerAuthorization>>;

export function authorizePayment(
  call: Submission,
  deps: Pick<Deps, "pool" | "catalog" | "clock">,
  authority: ProofOfRight,
): Promise<object> {
  const { body, params, services } = call;
  async function write() {
    const { proof } = authority;
    const clientSecret = "clientSecret" in proof ? proof.clientSecret : undefined;
    const payment = await services.payments.getPayment({ id: params.id, clientSecret });
    const chains = await deps.catalog.chains();
    const chain = chains.find(({ chainId }) => chainId === payment.chainId);
    const now = deps.clock.now();
    const due = computeDue({ payment, now });
    if (findDomain(payment, chain) === undefined) {
      throw new Failure("authorization_unsupported", "Nobody pays the gas for this currency");
    }
    checkFields(payment, body.authorization, { due, now });
    const { authorization: taken, refusal } = await services.chains.submitAuthorization({
      paymentId: payment.id,
      chainId: payment.chainId,
      token: payment.currency,
      recipientAddress: payment.recipientAddress,
      ...toSigned(body),
      isDue: due !== undefined,
      namesPayment: true,
      triesOnly: false,
    });
    if (refusal !== undefined) {
      throw new Failure("authorization_invalid", REFUSALS[refusal] ?? REFUSED);
    }
    const { state, txHash } = requireField(taken);
    return { status: state, txHash: txHash ?? null };
  }

  return forwardOnce(deps, call, { write, ...repeatedBy(authority) });
}

type Fields = z.output<typeof authorization>;

/** One that is known already may be submitted again, also when nothing is due any more. */
function checkFields(
  payment: Payment,
  { to, value, validBefore, nonce }: Fields,
  { due, now }: { due: Amount | undefined; now: Date },
): void {
  const end = findEnd(payment, now);
  const payTo = getPayTo(payment);
  const wrong = [
    [
      "nonce",
      `begin with 0x${toReference(payment.id)}`,
      toAuthorizedReference(nonce) === toReference(payment.id),
    ],
    ["to", `be ${payTo}`, toAddress(to) === toAddress(payTo)],
    ["validBefore", `be at most ${end}`, BigInt(validBefore) <= BigInt(end)],
    ["value", `be ${due}`, due === undefined || value === `${due}`],
  ] as const;
  const first = wrong.find(([, , isRight]) => !isRight);
  if (first === undefined) return;
  const [name, rule] = first;
  throw new Failure("authorization_invalid", `authorization.${name} must ${rule}`);
}
