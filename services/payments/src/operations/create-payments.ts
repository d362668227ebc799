import { firstPerKey } from "@pay/batching";
import { planColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import {
  type IdempotentRequest,
  idempotentRequest,
  sameRequest,
  stillRunning,
} from "@pay/idempotency";
import { type CreatePayment, CreatePaymentSchema } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { asCreated, newPayment } from "../domain/new-payment.ts";
import type { Payment } from "../domain/payment.ts";
import { toEvent, toMessage } from "../messages.ts";
import { findByKeys, type Insert, insertPayments } from "../storage/payments.ts";
import { type Answer, tryItem, writeBatch } from "./batch.ts";
import { showSecret } from "./check-secret.ts";

const listColumns = planColumns(CreatePaymentSchema);

/**
 * One statement stores all new payments. A used idempotency key returns the first response, even for an order that
 * would be rejected now; while the first request runs, repetitions are rejected.
 */
export async function createPayments(deps: Deps, requests: CreatePayment[]): Promise<Answer[]> {
  const drafts = requests.map((request) => draft(deps, request));
  // Of two items under one key the first is stored, and the second is a repetition.
  const inserts = firstPerKey(
    drafts.flatMap(({ insert }) => insert ?? []),
    ({ key }) => nameOfKey(key),
  );
  const stored = await writeBatch(deps, inserts, insertPayments);
  deps.relay.wake();
  function isDone({ payment }: Insert) {
    return stored.done.has(payment.id);
  }

  const begunHere = new Set(inserts.filter(isDone).map(({ key }) => nameOfKey(key)));
  const earlier = await earlierAnswers(deps, drafts, (key) => !begunHere.has(nameOfKey(key)));

  return drafts.map(({ insert, refusal }, index): Answer => {
    if (insert === undefined) return earlier.get(index) ?? refusal;
    const fault = stored.faults.get(insert);
    if (fault !== undefined) return fault;
    if (isDone(insert)) return tryItem(() => answer(deps, insert.payment, false));
    return earlier.get(index) ?? stillRunning();
  });
}

/** The result of a request before its key is looked up. */
type Draft = { key: IdempotentRequest | undefined } & (
  | { insert: Insert; refusal?: undefined }
  | { insert?: undefined; refusal: Failure }
);

function draft(deps: Deps, request: CreatePayment): Draft {
  const tenant = tryItem(() => parseTenant(request.tenant));
  if (tenant instanceof Failure) return { key: undefined, refusal: tenant };
  const key = idempotentRequest(tenant, request.idempotency);
  const payment = tryItem(() => draftPayment(deps, tenant, request));
  if (payment instanceof Failure) return { key, refusal: payment };
  const event = toEvent("payment.created", payment, payment.created_at, request.requestId);
  return { key, insert: { payment, key, event } };
}

function draftPayment(deps: Deps, tenant: Tenant, request: CreatePayment): Payment {
  if (request.replayOnly)
    throw new Failure("idempotent_answer_not_found", "Nothing was created under this key");
  const { request_id, replay_only, expires_in_minutes, ...given } = listColumns(request);
  const order = {
    id: newId("pay"),
    tenant,
    given,
    lifetimeMinutes: expires_in_minutes ?? undefined,
    secretVersion: deps.secretKeys.current,
  };
  const payment = newPayment(order, deps.catalog.terms(), deps.clock.now());
  if (payment instanceof Failure) throw payment;
  return payment;
}

function nameOfKey(key: IdempotentRequest | undefined): string | undefined {
  return key && JSON.stringify([key.scope, key.key]);
}

async function earlierAnswers(
  deps: Deps,
  drafts: Draft[],
  isWanted: (key: IdempotentRequest) => boolean,
): Promise<Map<number, Answer>> {
  const keyed = drafts.flatMap(({ key }, index) =>
    key === undefined || !isWanted(key) ? [] : [{ index, key }],
  );
  if (keyed.length === 0) return new Map();
  const found = await findByKeys(
    deps.db.pool,
    keyed.map(({ key }) => key),
  );
  return new Map(
    keyed.flatMap(({ index, key }, at) => {
      const earlier = found[at];
      if (earlier === undefined) return [];
      return [[index, tryItem(() => replay(deps, earlier, key))] as const];
    }),
  );
}

function replay(
  deps: Deps,
  earlier: { payment: Payment; fingerprint: Uint8Array },
  key: IdempotentRequest,
): Answer {
  sameRequest(earlier.fingerprint, key.fingerprint);
  return answer(deps, asCreated(earlier.payment), true);
}

function answer(deps: Deps, payment: Payment, replayed: boolean): Answer {
  return {
    payment: { ...toMessage(payment), clientSecret: showSecret(deps, payment) },
    replayed,
  };
}
