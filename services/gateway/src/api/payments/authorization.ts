// What a payer signs instead of sending a transaction (EIP-3009). The nonce begins with the payment's reference, so
// whoever sends it pays this payment.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Chain, GetAuthorizationResponse } from "@pay/proto";
import {
  type Amount,
  AUTHORIZATION_STATES,
  AUTHORIZATION_TYPES,
  toAddress,
  toAuthorizationDomain,
  toAuthorizationNonce,
  toChainId,
  toReference,
} from "@pay/values";
import { z } from "zod";
import type { FollowedPayment } from "../../streams/streams.ts";
import * as shown from "../field-values.ts";
import { computeDue } from "./due.ts";
import { getPayTo } from "./response.ts";

const HOUR_SECONDS = 3_600;

/** Of the token of a payment; undefined where nobody pays the gas for it. */
export function findDomain({ currency, chainId }: FollowedPayment, chain: Chain | undefined) {
  if (currency === "native") return undefined;
  const token = toAddress(currency);
  const domain = chain?.tokens.find(({ address }) => toAddress(address) === token)?.authorization;
  return domain && toAuthorizationDomain(domain, { chainId: toChainId(chainId), token });
}

/** An authorization is for money in time. A payment without an end gets an hour or two. */
export function findEnd({ expiresAt }: FollowedPayment, now: Date): number {
  if (expiresAt !== undefined) return Math.floor(timestampDate(expiresAt).getTime() / 1_000);
  return (Math.floor(now.getTime() / 1_000 / HOUR_SECONDS) + 2) * HOUR_SECONDS;
}

const UNSETTLED: readonly string[] = ["received", "sent"];

export function isUnsettled(state: string | undefined): boolean {
  return state !== undefined && UNSETTLED.includes(state);
}

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** For eth_signTypedData_v4; the page adds `from`. */
function buildTypedData(
  payment: FollowedPayment,
  {
    domain,
    due,
    counter,
    now,
  }: {
    domain: NonNullable<ReturnType<typeof findDomain>>;
    due: Amount;
    counter: number;
    now: Date;
  },
) {
  return {
    types: { EIP712Domain: DOMAIN_TYPE, ...AUTHORIZATION_TYPES },
    primaryType: "TransferWithAuthorization",
    domain,
    message: {
      to: getPayTo(payment),
      value: `${due}`,
      validAfter: "0",
      validBefore: `${findEnd(payment, now)}`,
      nonce: toAuthorizationNonce(toReference(payment.id), counter),
    },
  };
}

export const authorizationStatus = z
  .strictObject({
    state: shown.choiceOrNull(
      AUTHORIZATION_STATES,
      "State of the last one that was submitted; null before any.",
    ),
    txHash: shown.stringOrNull("Transaction that spends it; null before one is sent."),
    typedData: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "Typed data (EIP-712) to sign, with the wallet as `message.from`; null while one may still be spent.",
      ),
  })
  .nullable()
  .describe(
    "Payment by signature (EIP-3009), whose gas the service pays; null where it is not possible.",
  );

export function renderAuthorization(
  { payment, chain, now }: { payment: FollowedPayment; chain: Chain | undefined; now: Date },
  { authorization: last, counter }: GetAuthorizationResponse,
) {
  const domain = findDomain(payment, chain);
  const due = computeDue({ payment, now });
  if (domain === undefined || due === undefined) return null;
  return {
    state: last?.state ?? null,
    txHash: last?.txHash ?? null,
    typedData: isUnsettled(last?.state)
      ? null
      : buildTypedData(payment, { domain, due, counter, now }),
  };
}
