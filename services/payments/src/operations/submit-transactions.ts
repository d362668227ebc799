import type { SubmitTransaction } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { isClientSecret } from "../domain/client-secret.ts";
import { type Payment, TRANSITIONS } from "../domain/payment.ts";
import { submission } from "../domain/submission.ts";
import { findPayments, findRivals, movePayments } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";
import type { Answer } from "./list.ts";

const TRIES_MAX = 4;

/** Reads, decides, writes under guard; items whose payment moved meanwhile are decided again on what it is now. */
export const submitTransactions = async (
  deps: Deps,
  requests: SubmitTransaction[],
): Promise<Answer[]> => {
  const answers: Answer[] = requests.map(
    () => new Failure("unavailable", "The payment is changing too quickly"),
  );
  let open = requests.map((request, index) => ({ request, index }));
  for (let tries = 0; tries < TRIES_MAX && open.length > 0; tries++) {
    const round = await submitOnce(
      deps,
      open.map(({ request }) => request),
    );
    open = open.filter(({ index }, at) => {
      const answer = round[at];
      if (answer !== undefined) answers[index] = answer;
      return answer === undefined;
    });
  }
  deps.relay.wake();
  return answers;
};

/** One answer per request, or undefined where it must be decided again. */
const submitOnce = async (
  deps: Deps,
  requests: SubmitTransaction[],
): Promise<(Answer | undefined)[]> => {
  const payments = await findPayments(
    deps.db.pool,
    requests.map(({ tenant, id }) => ({ tenant: tenantOf(tenant), id })),
  );
  const decided = requests.map((request, index) => decide(deps, request, payments[index]));
  const moves = onePerPayment(decided.flatMap((item) => ("moved" in item ? [item] : [])));
  const spent = await findSpent(
    deps,
    moves.map(({ moved }) => moved),
  );

  const now = deps.clock.now();
  const going = moves.filter(({ moved }) => !spent.has(moved.id));
  const done = await movePayments(
    deps.db.pool,
    going.map(({ moved, request }) => ({
      payment: moved,
      event: toEvent(TRANSITIONS.submit.event, moved, now, request.requestId),
    })),
  );
  return decided.map((item) => {
    if (!("moved" in item)) return item.answer;
    if (!moves.includes(item)) return undefined;
    if (spent.has(item.moved.id)) {
      return new Failure("failed_precondition", "Transaction is already used by another payment");
    }
    return done.has(item.moved.id) ? { payment: toMessage(item.moved) } : undefined;
  });
};

type Decision = { answer: Answer } | { moved: Payment; request: SubmitTransaction };

const decide = (deps: Deps, request: SubmitTransaction, payment: Payment | undefined): Decision => {
  if (payment === undefined) return { answer: new Failure("not_found", PAYMENT_NOT_FOUND) };
  if (!request.trusted && !isClientSecret(request.clientSecret, payment, deps.secretKeys)) {
    return {
      answer: new Failure("permission_denied", "clientSecret is not valid for this payment"),
    };
  }
  const now = deps.clock.now();
  const result = submission(payment, request.txHash, request.payerAddress?.toLowerCase(), now);
  if (result.kind === "moved") return { moved: result.payment, request };
  if (result.kind === "unchanged") return { answer: { payment: toMessage(payment) } };
  return { answer: new Failure("failed_precondition", result.message) };
};

/** A statement may move a payment once; a second request for it waits for the next round. */
const onePerPayment = <T extends { moved: Payment }>(moves: T[]): T[] => {
  const seen = new Set<string>();
  return moves.filter(({ moved }) => !seen.has(moved.id) && seen.add(moved.id));
};

/**
 * Payments whose hash has nothing left to give. Asked only where another payment names the same hash, so that the
 * usual submission needs no second service; where chains cannot tell yet, the verdict will.
 */
const findSpent = async (deps: Deps, payments: Payment[]): Promise<Set<string>> => {
  if (payments.length === 0) return new Set();
  const asked = payments.map(({ id, chain_id, tx_hash }) => ({
    id,
    chainId: chain_id,
    txHash: tx_hash ?? "",
  }));
  const rivals = await findRivals(deps.db.pool, asked);
  const spent = await Promise.all(
    payments
      .filter((_, index) => rivals.has(index))
      .map(async (payment) => {
        const { known, unused } = await deps.chains.countUnusedTransfers({
          chainId: payment.chain_id,
          txHash: payment.tx_hash ?? "",
          recipientAddress: payment.recipient_address.toLowerCase(),
          currency: payment.currency.toLowerCase(),
        });
        return known && unused === 0 ? [payment.id] : [];
      }),
  );
  return new Set(spent.flat());
};
