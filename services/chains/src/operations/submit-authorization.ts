// Takes a payer's authorization, whose gas a wallet of the operator pays. It is tried before it counts and stored
// before it is sent, and the same one is answered alike however often it comes.
import { setTimeout } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type {
  AuthorizationSchema,
  GetAuthorizationRequest,
  GetAuthorizationResponseSchema,
  SubmitAuthorizationRequest,
  SubmitAuthorizationResponseSchema,
} from "@pay/proto";
import { parseChain, parseTenant } from "@pay/rpc";
import {
  type Authorization,
  type ChainId,
  checksumAddress,
  derivedId,
  type PaymentReference,
  toAddress,
  toAmount,
  toAuthorizationDomain,
  toBaseUnits,
  toReference,
  ZERO_AMOUNT,
} from "@pay/values";
import type { Deps } from "../deps.ts";
import { firstFees } from "../payouts/domain/fees.ts";
import type { Intent } from "../payouts/domain/intent.ts";
import { tryTransfers } from "../payouts/preflight.ts";
import type { Sponsor } from "../payouts/signer.ts";
import {
  acceptAuthorization,
  findAuthorizations,
  findLastAuthorization,
  type NewAuthorization,
  type StoredAuthorization,
} from "../payouts/storage/authorizations.ts";
import { readBalance, readMarket } from "../payouts/wallet.ts";
import {
  buildAuthorizationCall,
  buildStateCall,
  hashAuthorization,
  isKeySignature,
} from "../providers/authorization-call.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { screenAuthorization } from "../screening/screen-authorization.ts";

/** A wallet signs within this time, or the caller reads again. */
const SIGNED_MS = 2_000;
const LOOK_MS = 50;
const TRUE = `0x${"1".padStart(64, "0")}`;

export async function submitAuthorization(
  deps: Deps,
  request: SubmitAuthorizationRequest,
): Promise<MessageInitShape<typeof SubmitAuthorizationResponseSchema>> {
  const { clock, pool, sponsors } = deps;
  const chainId = parseChain(request.chainId);
  const authorization = toAuthorization(request);
  const sponsor = sponsors.get(chainId);
  const token = await findToken(deps, chainId, request.token);
  if (sponsor === undefined || token === undefined) {
    throw new Failure("authorization_unsupported", "Nobody pays the gas for this currency");
  }
  const digest = hashAuthorization(token.domain, authorization);
  const { paymentId } = request;
  const tenant = parseTenant(request.tenant);
  const subjectId = derivedId("auth", tenant.projectId, paymentId, digest);
  const subject = { ...tenant, subjectId };
  const [known] = await findAuthorizations(pool, [subject]);
  if (known !== undefined && !request.triesOnly) return toMessage(known);
  if (!request.isDue)
    throw new Failure("payment_status_invalid", "Payment cannot be paid any more");
  const least = sponsor.sponsor.minAmounts.get(token.address) ?? "0";
  if (authorization.value < (toBaseUnits(least, token.decimals) ?? ZERO_AMOUNT)) {
    throw new Failure("authorization_unsupported", `amount must be at least ${least}`);
  }
  const callData = buildAuthorizationCall(authorization, { digest, signature: request.signature });
  const draft: Draft = {
    ...subject,
    paymentId,
    requestId: request.requestId,
    chainId,
    authorization,
    token: token.address,
    decimals: token.decimals,
    reference: toReference(paymentId) as PaymentReference,
    namesPayment: request.namesPayment,
    callData,
  };
  const tried = await tryDraft(deps, sponsor, draft);
  if (tried === undefined) {
    const isOfKey = isKeySignature(digest, request.signature, authorization.from);
    return { refusal: await findRefusal(deps, draft, isOfKey) };
  }
  if (request.triesOnly) return {};
  // Only now the wallet itself is known to have signed.
  const recipient = toAddress(request.recipientAddress);
  const wallet = { ...tenant, chainId, recipient, currency: token.address };
  await screenAuthorization(deps, { wallet, paymentId, payer: authorization.from });
  const stored = await acceptAuthorization(pool, sponsor, { ...draft, ...tried, now: clock.now() });
  if (stored === "exhausted") throw exhausted();
  const [row] = stored === "stored" ? [] : await findAuthorizations(pool, [subject]);
  if (stored === "taken" && row === undefined) {
    throw new Failure(
      "authorization_pending",
      "Another authorization of the payment has paid it, or is not settled yet, or one with this nonce is",
    );
  }
  deps.wakeSending();
  return toMessage(await waitForHash(deps, subject));
}

type Draft = Omit<NewAuthorization, "gasCost" | "openedBlock">;

function exhausted(): Failure {
  return new Failure("sponsor_exhausted", "The gas for it is used up; the payer sends a transfer");
}

function toAuthorization(request: SubmitAuthorizationRequest): Authorization {
  return {
    from: toAddress(request.payer),
    to: toAddress(request.recipient),
    value: toAmount(request.baseAmount),
    validAfter: request.validAfter,
    validBefore: request.validBefore,
    nonce: request.nonce,
  };
}

async function findToken({ prisma }: Deps, chainId: ChainId, name: string) {
  const address = toAddress(name);
  const row = await prisma.token.findUnique({
    where: { chain_id_address: { chain_id: BigInt(chainId), address } },
  });
  if (!row?.enabled || row.domain_name === null || row.domain_version === null) return undefined;
  const domain = { name: row.domain_name, version: row.domain_version };
  const place = { chainId, token: address };
  return { address, decimals: row.decimals, domain: toAuthorizationDomain(domain, place) };
}

/** Undefined for one that would fail: it counts as nothing, so that nobody closes a payment with it. */
async function tryDraft({ clock, getProviders }: Deps, sponsor: Sponsor, draft: Draft) {
  const [reader, ...others] = (await getProviders(draft.chainId)?.allReaders()) ?? [];
  if (reader === undefined) throw unavailable();
  const intent = toIntent(draft, sponsor, clock.now());
  const [tries, seen] = await Promise.all([
    tryTransfers([reader, ...others], [intent]),
    tryRequest(readMarket(reader)),
  ]);
  const tried = tries.get(intent);
  if (tried?.kind === "reverts") return undefined;
  if (tried?.kind === "no_funds") throw exhausted();
  if (tried?.kind !== "passes" || seen === undefined) throw unavailable();
  const fees = firstFees(seen.market, sponsor.policy.maxFeePerGas);
  if (fees === undefined) throw exhausted();
  return { gasCost: toAmount(tried.gasLimit * fees.maxFee), openedBlock: seen.head };
}

/** Why the token refuses it, as far as the chain tells. */
async function findRefusal(
  { getProviders }: Deps,
  { chainId, token, authorization: { from, nonce, value } }: Draft,
  isOfKey: boolean,
): Promise<"signature" | "funds" | "spent" | "other"> {
  const [reader] = (await getProviders(chainId)?.readers()) ?? [];
  if (reader === undefined) return "other";
  const [state, balance] = await Promise.all([
    tryRequest(reader.view(token, buildStateCall(from, nonce))),
    tryRequest(readBalance(reader, from, token)),
  ]);
  if (state === TRUE) return "spent";
  if (balance !== undefined && balance < value) return "funds";
  return isOfKey ? "other" : "signature";
}

function unavailable(): Failure {
  return new Failure("service_unavailable", "No provider of the chain can try the authorization");
}

function toIntent(draft: Draft, { address }: Sponsor, now: Date): Intent {
  const { authorization, token, namesPayment: _, ...rest } = draft;
  return {
    ...rest,
    kind: "authorization",
    paymentId: undefined,
    sweptPaymentIds: [],
    source: address,
    destination: authorization.to,
    currency: token,
    baseAmount: authorization.value,
    owedSince: now,
    version: 1,
    heldReason: undefined,
    createdAt: now,
  };
}

async function waitForHash(
  { pool, clock }: Deps,
  subject: Parameters<typeof findAuthorizations>[1][0],
): Promise<StoredAuthorization> {
  const until = clock.now().getTime() + SIGNED_MS;
  for (;;) {
    const [row] = await findAuthorizations(pool, [subject]);
    if (row === undefined) throw new Error("an authorization is stored no longer");
    if (row.state !== "open" || row.sent_tx_hash !== null || clock.now().getTime() >= until) {
      return row;
    }
    await setTimeout(LOOK_MS);
  }
}

export async function getAuthorization(
  { pool }: Deps,
  { tenant, paymentId }: GetAuthorizationRequest,
): Promise<MessageInitShape<typeof GetAuthorizationResponseSchema>> {
  const last = await findLastAuthorization(pool, { ...parseTenant(tenant), paymentId });
  // A payer who has cancelled signs the next nonce.
  return last === undefined ? { counter: 0 } : { counter: last.cancelled, ...toMessage(last) };
}

function toMessage(row: StoredAuthorization) {
  return { authorization: toAuthorizationMessage(row) };
}

export function toAuthorizationMessage(
  row: StoredAuthorization,
): MessageInitShape<typeof AuthorizationSchema> {
  const txHash = row.tx_hash ?? row.sent_tx_hash;
  return {
    payer: checksumAddress(row.payer),
    nonce: row.nonce,
    state: row.state === "open" ? (row.intent_state === "signed" ? "sent" : "received") : row.state,
    ...(txHash === null ? {} : { txHash }),
    isLost: row.is_lost,
  };
}
