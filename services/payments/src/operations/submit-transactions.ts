import { firstPerKey } from "@pay/batching";
import { retryItemsOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type { SubmitTransaction } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress, toCurrency, toTxHash } from "@pay/values";
import type { Deps } from "../deps.ts";
import { applySubmission } from "../domain/apply-submission.ts";
import type { Move, Payment } from "../domain/payment.ts";
import { listHashes } from "../domain/state.ts";
import { recordMove, toMessage } from "../messages.ts";
import { findPayments, findSameHash, movePayments } from "../storage/payments.ts";
import { type Answer, tryItem, writeBatch } from "./batch.ts";
import { checkSecret } from "./check-secret.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

const UNKNOWN = { known: false, unused: 0 };

/** Items whose payment was moved by another writer are decided again. */
export async function submitTransactions(
  deps: Deps,
  requests: SubmitTransaction[],
): Promise<Answer[]> {
  const answers = await retryItemsOnStaleVersion({
    what: "payment",
    items: requests,
    attempt: (open) => submitOnce(deps, open),
  });
  deps.relay.wake();
  return answers;
}

/** Undefined for a request that must be decided again. */
async function submitOnce(
  deps: Deps,
  requests: SubmitTransaction[],
): Promise<(Answer | undefined)[]> {
  const payments = await findPayments(
    deps.db.pool,
    requests.map(({ tenant, id }) => ({ tenant: parseTenant(tenant), id })),
  );
  const decided = requests.map((request, index): Decision => {
    const decision = tryItem(() => decide(deps, request, payments[index]));
    return decision instanceof Failure ? { answer: decision } : decision;
  });
  // A statement moves a payment once; a second request for it waits for the next round.
  const moves = firstPerKey(
    decided.flatMap((item) => ("moved" in item ? [item] : [])),
    ({ moved }) => moved.payment.id,
  );
  const spent = await findSpent(
    deps,
    // The transfers of a hash that the payment had already may be allocated to it.
    moves.flatMap(({ moved, isNew }) => (isNew ? [moved.payment] : [])),
  );

  const now = deps.clock.now();
  const going = moves.filter(({ moved }) => !spent.has(moved.payment.id));
  const { done, faults } = await writeBatch(deps, going, (db, list) =>
    movePayments(
      db,
      list.map(({ moved, request }) => recordMove(moved, now, request)),
    ),
  );
  return decided.map((item) => {
    if (!("moved" in item)) return item.answer;
    if (!moves.includes(item)) return undefined;
    const { payment } = item.moved;
    if (spent.has(payment.id)) {
      return new Failure("tx_hash_used", "Transaction is already used by another payment");
    }
    return done.has(payment.id) ? { payment: toMessage(payment) } : faults.get(item);
  });
}

type Decision = { answer: Answer } | { moved: Move; request: SubmitTransaction; isNew: boolean };

function decide(deps: Deps, request: SubmitTransaction, payment: Payment | undefined): Decision {
  if (payment === undefined) return { answer: new Failure("payment_not_found", PAYMENT_NOT_FOUND) };
  const isTrusted = request.trusted || request.byMerchant;
  const refusal = isTrusted ? undefined : checkSecret(deps, request.clientSecret, payment);
  if (refusal !== undefined) return { answer: refusal };
  const now = deps.clock.now();
  const { byMerchant, assign } = request;
  const txHash = toTxHash(request.txHash);
  const payer = request.payerAddress === undefined ? undefined : toAddress(request.payerAddress);
  const result = applySubmission(payment, { txHash, payer, byMerchant, assign }, now);
  if (result instanceof Failure) return { answer: result };
  if (result.kind === "moved") {
    return {
      moved: result,
      request,
      isNew: !listHashes(payment).some(({ hash }) => hash === txHash),
    };
  }
  return { answer: { payment: toMessage(payment) } };
}

/**
 * Payments whose hash has no unused transfer. Chains is queried only where another payment has the same hash, and
 * where it is unavailable the verdict decides.
 */
async function findSpent(deps: Deps, payments: Payment[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const candidates = payments.map(({ id, project_id, mode, chain_id, tx_hash }) => ({
    id,
    tenant: { projectId: project_id, mode },
    chainId: chain_id,
    txHash: tx_hash ?? "",
  }));
  const sameHash = await findSameHash(deps.db.pool, candidates);
  const spent = await Promise.all(
    payments
      .filter((_, index) => sameHash.has(index))
      .map(async (payment) => {
        const counting = deps.chains.countUnusedTransfers({
          tenant: { projectId: payment.project_id, mode: payment.mode },
          chainId: payment.chain_id,
          txHash: payment.tx_hash ?? "",
          recipientAddress: toAddress(payment.recipient_address),
          currency: toCurrency(payment.currency),
        });
        const { known, unused } = await counting.catch(() => UNKNOWN);
        return known && unused === 0 ? [payment.id] : [];
      }),
  );
  return new Set(spent.flat());
}
