// Checks what a client of x402 has signed, has it sent, and waits until it is in a block. An unknown end is no refusal:
// a client that signs again could pay twice.
import { setTimeout } from "node:timers/promises";
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";
import { type Amount, toAddress, toAuthorizedReference, toReference } from "@pay/values";
import type { Deps } from "../../../pipeline/deps.ts";
import type { Call } from "../../../pipeline/route.ts";
import { requireField } from "../../response-fields.ts";
import { findEnd, isUnsettled } from "../authorization.ts";
import { toSigned } from "../authorize-payment.ts";
import { getPayTo } from "../response.ts";
import { takePlace } from "./places.ts";
import {
  type RefusalName,
  SCHEME,
  type SignedPayment,
  toNetwork,
  X402_VERSION,
} from "./protocol.ts";

/** Until the client is told to come again. */
const MINED_MS = 30_000;
const LOOK_MS = 200;
/** Clients count from their own clocks. */
const CLOCK_SECONDS = 60;

export interface Refusal {
  reason: RefusalName;
  payer: string;
}

export interface Settlement {
  transaction: string;
  payer: string;
}

type Part = Pick<Deps, "clock" | "stopping">;

export async function settle(
  call: Pick<Call, "services">,
  deps: Part,
  { payment, signed, due }: { payment: Payment; signed: SignedPayment; due: Amount | undefined },
): Promise<Refusal | Settlement> {
  const payer = signed.payload.authorization.from;
  const reason = findFault(payment, signed, { due, now: deps.clock.now() });
  if (reason !== undefined) return { reason, payer };
  const leave = takePlace(payment);
  try {
    return await settleInTime(call, deps, { payment, signed, isDue: due !== undefined });
  } finally {
    leave();
  }
}

async function settleInTime(
  { services }: Pick<Call, "services">,
  { clock, stopping }: Part,
  { payment, signed, isDue }: { payment: Payment; signed: SignedPayment; isDue: boolean },
): Promise<Refusal | Settlement> {
  const { authorization } = signed.payload;
  const sent = toSigned(signed.payload);
  const { payer, nonce } = sent;
  const until = performance.now() + MINED_MS;
  do {
    // The same authorization gets the state that it has by now.
    const { authorization: taken, refusal } = await services.chains.submitAuthorization({
      paymentId: payment.id,
      chainId: payment.chainId,
      token: payment.currency,
      recipientAddress: payment.recipientAddress,
      ...sent,
      isDue,
      namesPayment:
        payment.payTo !== undefined || toAuthorizedReference(nonce) === toReference(payment.id),
      triesOnly: false,
    });
    if (refusal !== undefined) {
      return { reason: nameRefusal(refusal, authorization, clock.now()), payer };
    }
    const { state, txHash = "", isLost } = requireField(taken);
    if (isLost) {
      throw new Failure(
        "authorization_spent",
        `Another transaction has spent the authorization, and names no payment: ${txHash}`,
      );
    }
    if (state === "used") return { transaction: txHash, payer };
    if (!isUnsettled(state)) return { reason: "invalid_transaction_state", payer };
    await setTimeout(LOOK_MS);
  } while (performance.now() < until && !stopping.aborted);
  throw new Failure(
    "service_unavailable",
    "The transfer is not in a block yet; send the same PAYMENT-SIGNATURE again",
  );
}

function findFault(
  payment: Payment,
  { x402Version, accepted, payload: { authorization } }: SignedPayment,
  { due, now }: { due: Amount | undefined; now: Date },
): RefusalName | undefined {
  const { to, value, validBefore } = authorization;
  const end = findEnd(payment, now) + CLOCK_SECONDS;
  if (x402Version !== X402_VERSION) return "invalid_x402_version";
  if (accepted.scheme !== SCHEME) return "unsupported_scheme";
  if (accepted.network !== toNetwork(payment.chainId)) return "invalid_network";
  if (toAddress(to) !== toAddress(getPayTo(payment))) {
    return "invalid_exact_evm_payload_recipient_mismatch";
  }
  if (due !== undefined && value !== `${due}`) {
    return "invalid_exact_evm_payload_authorization_value";
  }
  return BigInt(validBefore) > BigInt(end)
    ? "invalid_exact_evm_payload_authorization_valid_before"
    : undefined;
}

export function nameRefusal(
  refusal: string,
  { validAfter, validBefore }: SignedPayment["payload"]["authorization"],
  now: Date,
): RefusalName {
  const seconds = BigInt(Math.floor(now.getTime() / 1_000));
  if (BigInt(validBefore) <= seconds) return "invalid_exact_evm_payload_authorization_valid_before";
  if (BigInt(validAfter) >= seconds) return "invalid_exact_evm_payload_authorization_valid_after";
  if (refusal === "funds") return "insufficient_funds";
  return refusal === "signature"
    ? "invalid_exact_evm_payload_signature"
    : "invalid_transaction_state";
}
