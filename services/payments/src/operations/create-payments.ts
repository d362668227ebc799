import {
  type IdempotentRequest,
  idempotentRequest,
  sameRequest,
  stillRunning,
} from "@pay/database";
import { newId } from "@pay/money";
import type { CreatePayment } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { clientSecretOf } from "../domain/client-secret.ts";
import { asCreated, newPayment } from "../domain/new-payment.ts";
import type { Payment } from "../domain/payment.ts";
import { findByKeys, type Insert, insertPayments } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";
import { type Answer, eachAlone } from "./list.ts";

/**
 * One statement for all that may go in. Whoever finds the idempotency key used gets what was answered then; while the
 * first request under a key runs, others are refused, in another list as well as in the same one.
 */
export const createPayments = async (deps: Deps, requests: CreatePayment[]): Promise<Answer[]> => {
  const drafts = requests.map((request) => attempt(() => draft(deps, request)));
  const inserts = firstOfEachKey(drafts.flatMap((item) => (item instanceof Failure ? [] : [item])));
  const stored = await eachAlone(inserts, (list) => insertPayments(deps.db.pool, list));
  deps.relay.wake();
  const isDone = ({ payment }: Insert) => stored.done.has(payment.id);
  const begunHere = new Set(inserts.filter(isDone).map(nameOfKey));
  const earlier = await earlierAnswers(deps, drafts, (item) => !begunHere.has(nameOfKey(item)));

  return drafts.map((item, index): Answer => {
    if (item instanceof Failure) return item;
    const fault = stored.faults.get(item);
    if (fault !== undefined) return fault;
    if (isDone(item)) return answer(deps, item.payment, false);
    return earlier.get(index) ?? stillRunning();
  });
};

const draft = (deps: Deps, request: CreatePayment): Insert => {
  const tenant = tenantOf(request.tenant);
  const now = deps.clock.now();
  const payment = newPayment(
    {
      ...request,
      ...tenant,
      id: newId("pay"),
      secretVersion: deps.secretKeys.current,
    },
    deps.catalog.terms(),
    now,
  );
  if (typeof payment === "string") throw new Failure("invalid_argument", payment);
  return {
    payment,
    key: idempotentRequest(tenant, request.idempotency),
    event: toEvent("payment.created", payment, now, request.requestId),
  };
};

const attempt = (make: () => Insert): Insert | Failure => {
  try {
    return make();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

/** Two items of one list under one key: the first goes in, and while it does the second is refused. */
const firstOfEachKey = (inserts: Insert[]): Insert[] => {
  const seen = new Set<string>();
  return inserts.filter((item) => {
    const name = nameOfKey(item);
    return name === undefined || (!seen.has(name) && seen.add(name));
  });
};

const nameOfKey = ({ key }: Insert): string | undefined =>
  key && JSON.stringify([key.scope, key.key]);

const earlierAnswers = async (
  deps: Deps,
  drafts: (Insert | Failure)[],
  isAsked: (item: Insert) => boolean,
): Promise<Map<number, Answer>> => {
  const asked = drafts.flatMap((item, index) =>
    item instanceof Failure || item.key === undefined || !isAsked(item)
      ? []
      : [{ index, key: item.key }],
  );
  if (asked.length === 0) return new Map();
  const found = await findByKeys(
    deps.db.pool,
    asked.map(({ key }) => key),
  );
  return new Map(
    asked.flatMap(({ index, key }, at) => {
      const earlier = found[at];
      return earlier === undefined ? [] : [[index, replay(deps, earlier, key)] as const];
    }),
  );
};

const replay = (
  deps: Deps,
  earlier: { payment: Payment; fingerprint: Uint8Array },
  key: IdempotentRequest,
): Answer => {
  try {
    sameRequest(earlier.fingerprint, key.fingerprint);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return answer(deps, asCreated(earlier.payment), true);
};

const answer = (deps: Deps, payment: Payment, replayed: boolean): Answer => ({
  payment: { ...toMessage(payment), clientSecret: clientSecretOf(payment, deps.secretKeys) },
  replayed,
});
