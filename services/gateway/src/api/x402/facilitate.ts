// What servers of merchants hand on to have it verified and settled. Each settlement is a payment of the tenant, found
// again by what the payer has signed.
import { createHash } from "node:crypto";
import { Failure, isFailureKind } from "@pay/failures";
import { type Payment, Variant } from "@pay/proto";
import { type AUTHORIZATION_STATES, toAddress, toAmount, toChainId, toDecimal } from "@pay/values";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { findWallet } from "../../projects/default-wallets.ts";
import { toSigned } from "../payments/authorize-payment.ts";
import { createPayment } from "../payments/create-payment.ts";
import { computeDue } from "../payments/due.ts";
import { paymentFilters, toFilter, toOrder } from "../payments/request.ts";
import {
  type RefusalName,
  SCHEME,
  type SignedPayment,
  toNetwork,
  X402_VERSION,
} from "../payments/x402/protocol.ts";
import { nameRefusal, settle } from "../payments/x402/settle.ts";
import type { Facilitation, SettlementOrder } from "./request.ts";
import type { SettlementState } from "./response.ts";

type FacilitationCall = Call<unknown, Facilitation>;
type SettlementCall = Call<unknown, SettlementOrder>;
type Part = Pick<Deps, "catalog" | "clock" | "stopping">;

interface Terms {
  chainId: bigint;
  currency: string;
  decimals: number;
  payTo: string;
  amount: string;
  /** The payment lives longer than what the payer has signed, so that its money is in time. */
  minutes: number;
  signed: SignedPayment;
}

const MINUTES_MIN = 5;
const MINUTES_MAX = 1_440;

export async function verifyPayment(call: FacilitationCall, deps: Part) {
  const payer = call.body.paymentPayload.payload.authorization.from;
  const terms = await readTerms(call, deps);
  const reason = typeof terms === "string" ? terms : await tryTerms(call, deps, terms);
  return { isValid: reason === undefined, invalidReason: reason ?? null, payer };
}

export async function settlePayment(call: SettlementCall, deps: Part) {
  const { paymentPayload, paymentRequirements, orderId } = call.body;
  const payer = paymentPayload.payload.authorization.from;
  const { network } = paymentRequirements;
  function refuse(errorReason: RefusalName) {
    return { success: false, errorReason, payer, transaction: "", network, paymentId: null };
  }

  const terms = await readTerms(call, deps);
  if (typeof terms === "string") return refuse(terms);
  const known = await findPayment(call, terms);
  const reason = known === undefined ? await tryTerms(call, deps, terms) : undefined;
  if (reason !== undefined) return refuse(reason);
  const payment = known ?? (await createFor(call, terms));
  if (payment === undefined || payment.orderId !== orderId) {
    return refuse("invalid_transaction_state");
  }
  const due = computeDue({ payment, now: deps.clock.now() });
  const outcome = await settle(call, deps, { payment, signed: terms.signed, due });
  if ("reason" in outcome) return refuse(outcome.reason);
  return { success: true, errorReason: null, ...outcome, network, paymentId: payment.id };
}

async function readTerms(call: FacilitationCall, deps: Part): Promise<Terms | RefusalName> {
  const { x402Version, paymentPayload: signed, paymentRequirements: wanted } = call.body;
  const { authorization } = signed.payload;
  if (x402Version !== X402_VERSION || signed.x402Version !== X402_VERSION) {
    return "invalid_x402_version";
  }
  if (wanted.scheme !== SCHEME || signed.accepted.scheme !== SCHEME) return "unsupported_scheme";
  const chains = await deps.catalog.chains();
  const chain = chains.find(({ chainId }) => toNetwork(chainId) === wanted.network);
  if (chain === undefined || signed.accepted.network !== wanted.network) return "invalid_network";
  const { chainId } = chain;
  const asset = toAddress(wanted.asset);
  const token = chain.tokens.find(({ address }) => toAddress(address) === asset);
  if (token?.authorization === undefined) return "invalid_payment_requirements";
  if (BigInt(wanted.amount) === 0n || !(await isOwn(call, deps, wanted.payTo, chainId))) {
    return "invalid_payment_requirements";
  }
  if (toAddress(authorization.to) !== toAddress(wanted.payTo)) {
    return "invalid_exact_evm_payload_recipient_mismatch";
  }
  if (authorization.value !== wanted.amount) {
    return "invalid_exact_evm_payload_authorization_value";
  }
  const seconds = BigInt(Math.floor(deps.clock.now().getTime() / 1_000));
  const minutes = (BigInt(authorization.validBefore) - seconds) / 60n + 1n;
  if (minutes > MINUTES_MAX) return "invalid_exact_evm_payload_authorization_valid_before";
  return {
    chainId,
    currency: token.address,
    decimals: token.decimals,
    payTo: wanted.payTo,
    amount: wanted.amount,
    minutes: Math.max(Number(minutes), MINUTES_MIN),
    signed,
  };
}

/** The operator pays for transfers to the merchant, and to nobody else. */
async function isOwn(
  { caller, services }: FacilitationCall,
  { clock }: Part,
  payTo: string,
  chainId: bigint,
): Promise<boolean> {
  const wallet = findWallet(caller.wallets, toChainId(chainId), clock.now());
  if (wallet !== undefined && toAddress(wallet) === toAddress(payTo)) return true;
  const { payments } = await services.payments.listPayments({
    ...toFilter(paymentFilters.parse({ recipientAddress: payTo, limit: "1" })),
    variant: undefined,
    owner: undefined,
    withClientSecret: false,
  });
  return payments.length > 0;
}

async function tryTerms(
  { services }: FacilitationCall,
  { clock }: Part,
  { chainId, currency, payTo, signed }: Terms,
): Promise<RefusalName | undefined> {
  const { authorization } = signed.payload;
  const { refusal } = await services.chains.submitAuthorization({
    paymentId: "",
    chainId,
    token: currency,
    recipientAddress: payTo,
    ...toSigned(signed.payload),
    isDue: true,
    namesPayment: false,
    triesOnly: true,
  });
  return refusal === undefined ? undefined : nameRefusal(refusal, authorization, clock.now());
}

async function findPayment(
  { services }: FacilitationCall,
  { chainId, currency, signed }: Terms,
): Promise<Payment | undefined> {
  const { payer, nonce } = toSigned(signed.payload);
  const wanted = { chainId, token: currency, payer, nonce };
  const { paymentId } = await services.chains.findAuthorization(wanted);
  return paymentId === "" ? undefined : services.payments.getPayment({ id: paymentId });
}

/**
 * One payment for one authorization, however many requests come at once; undefined where one of them was for another
 * order.
 */
async function createFor(
  { caller, services, body: { orderId, description } }: SettlementCall,
  { chainId, currency, decimals, payTo, amount, minutes, signed }: Terms,
): Promise<Payment | undefined> {
  const { payer, nonce } = toSigned(signed.payload);
  const key = digest(`${chainId} ${currency} ${toAddress(payer)} ${nonce}`);
  const order = {
    ...toOrder(caller, {
      amount: toDecimal(toAmount(amount), decimals),
      chainId: toChainId(chainId),
      currency,
      expiresInMinutes: minutes,
      orderId,
      description,
      // The payer has signed for this wallet.
      depositAddresses: false,
    }),
    recipientAddress: payTo,
    variant: Variant.PRIMARY,
    idempotency: { route: "x402", key: key.toString("hex"), fingerprint: digest(orderId ?? "") },
  };
  try {
    return (await createPayment(services, order, () => undefined)).payment;
  } catch (error) {
    if (isFailureKind("unprocessable", error)) return undefined;
    throw error;
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const STATES = {
  used: "spent",
  cancelled: "cancelled",
  expired: "expired",
  received: "unspent",
  sent: "unspent",
  failed: "unspent",
} as const satisfies Record<(typeof AUTHORIZATION_STATES)[number], SettlementState>;

export async function readSettlement({ params, services }: Call, { clock }: Pick<Deps, "clock">) {
  const { chainId, asset: token, payer, nonce } = params;
  const wanted = { chainId: BigInt(chainId), token, payer, nonce: nonce.toLowerCase() };
  const { authorization, paymentId, validBefore } = await services.chains.findAuthorization(wanted);
  if (authorization === undefined) {
    throw new Failure("payment_not_found", "No such authorization was settled");
  }
  const state = STATES[authorization.state as keyof typeof STATES];
  // What has failed may be sent by others until its time is over.
  const isOver =
    authorization.state === "failed" && clock.now().getTime() >= Number(validBefore) * 1_000;
  return {
    state: isOver ? "expired" : state,
    transaction: authorization.txHash ?? null,
    paymentId,
  };
}
