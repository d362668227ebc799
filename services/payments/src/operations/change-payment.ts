// Changes of merchants and customers. Each is decided on the payment as it was read, and again where another writer
// moved it.
import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  AssignTransferRequest,
  CancelPaymentRequest,
  DeclarePayerRequest,
  ExtendPaymentRequest,
  Payment as Message,
  ResolvePaymentRequest,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { isAddress, toAddress, toTxHash } from "@pay/values";
import type { Deps } from "../deps.ts";
import { applySubmission } from "../domain/apply-submission.ts";
import { type ChangeResult, cancel, declare, extend, resolve } from "../domain/change.ts";
import type { Payment } from "../domain/payment.ts";
import { recordMove, toMessage } from "../messages.ts";
import { findPayments, movePayments } from "../storage/payments.ts";
import { checkSecret } from "./check-secret.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

interface Answer {
  payment: Message;
}

type Request = Pick<CancelPaymentRequest, "tenant" | "id" | "requestId"> &
  Partial<Pick<CancelPaymentRequest, "requestedBy">>;

async function change(
  deps: Deps,
  { tenant, id, ...cause }: Request,
  decide: (payment: Payment, now: Date) => ChangeResult | Promise<ChangeResult>,
): Promise<Answer> {
  const { pool } = deps.db;
  const owner = parseTenant(tenant);
  const payment = await retryOnStaleVersion("payment", async () => {
    const [found] = await findPayments(pool, [{ tenant: owner, id }]);
    if (found === undefined) throw new Failure("payment_not_found", PAYMENT_NOT_FOUND);
    const now = deps.clock.now();
    const decided = await decide(found, now);
    if (decided instanceof Failure) throw decided;
    if (decided.kind === "unchanged") return found;
    const done = await movePayments(pool, [recordMove(decided, now, cause)]);
    return done.has(id) ? decided.payment : undefined;
  });
  deps.relay.wake();
  return { payment: toMessage(payment) };
}

export function cancelPayment(deps: Deps, request: CancelPaymentRequest): Promise<Answer> {
  return change(deps, request, cancel);
}

export function resolvePayment(deps: Deps, request: ResolvePaymentRequest): Promise<Answer> {
  return change(deps, request, (payment, now) => resolve(payment, request.accept, now));
}

/** The merchant's word on a transfer is a hash that is submitted with it. */
export function assignTransfer(deps: Deps, request: AssignTransferRequest): Promise<Answer> {
  const txHash = toTxHash(request.txHash);
  const submission = { txHash, payer: undefined, byMerchant: true, assign: true };
  return change(deps, request, (payment, now) => applySubmission(payment, submission, now));
}

export function declarePayer(deps: Deps, request: DeclarePayerRequest): Promise<Answer> {
  const { payerAddress, clientSecret, trusted } = request;
  if (!isAddress(payerAddress)) {
    throw new Failure("field_invalid", "payerAddress must be an address");
  }
  const payer = toAddress(payerAddress);
  return change(deps, request, async (payment, now) => {
    const refusal =
      (trusted ? undefined : checkSecret(deps, clientSecret, payment)) ??
      (await checkSignature(deps, request, payment));
    const isSigned = request.signature !== undefined;
    return refusal ?? declare(payment, { payer, isSigned }, now);
  });
}

/** The wallet signs the id of the payment or its text. Chains checks it, because the wallet may be a contract. */
async function checkSignature(
  { chains }: Deps,
  { payerAddress: account, signature, payerMessage }: DeclarePayerRequest,
  { id, chain_id: chainId }: Payment,
): Promise<Failure | undefined> {
  if (signature === undefined) return undefined;
  const texts = payerMessage === undefined ? [id] : [payerMessage, id];
  const { isValid } = await chains.checkSignature({ chainId, account, texts, signature });
  if (isValid) return undefined;
  return new Failure(
    "payer_signature_invalid",
    "signature is not payerAddress's of payerMessage or the payment id",
  );
}

export function extendPayment(deps: Deps, request: ExtendPaymentRequest): Promise<Answer> {
  const { clientSecret, trusted } = request;
  return change(deps, request, (payment, now) => {
    const refusal = trusted ? undefined : checkSecret(deps, clientSecret, payment);
    return refusal ?? extend(payment, now);
  });
}
