// A bounded load of creations by merchants who retry: every order has its own idempotency key and is sent again
// until it is acknowledged, as a careful client does.
import { until } from "@pay/testing";
import type { Merchant } from "./merchant.ts";
import { RECIPIENT } from "./merchant.ts";

export interface Orders {
  /** Acknowledged payments by idempotency key. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Answers that were neither a creation nor a 503, 504 or broken connection. */
  readonly strange: readonly string[];
  /** Ends when this many more orders are acknowledged. */
  more(count: number): Promise<void>;
  /** Resolves when no order is under way; no more are sent until what it answers is called. */
  pause(): Promise<() => void>;
  /** Ends when every order sent so far is acknowledged; no more are sent. */
  finish(): Promise<void>;
}

const ORDERS_MAX = 20_000;
const WORKERS = 4;
const PAUSE_MS = 100;
const RETRY_MS = 100;
const HEALED_TIMEOUT_MS = 60_000;

let runs = 0;

export function startOrders(shop: Merchant, { pauseMs = PAUSE_MS } = {}): Orders {
  const acknowledged = new Map<string, string>();
  const strange: string[] = [];
  const run = `run-${process.pid}-${++runs}`;
  let sent = 0;
  let stopping = false;
  let underWay = 0;
  let gate = Promise.resolve();
  let openGate = () => {};

  async function order(key: string): Promise<void> {
    const body = {
      amount: "1.5",
      chainId: shop.api.credentials.chainId,
      currency: "native",
      recipientAddress: RECIPIENT,
    };
    const until = Date.now() + HEALED_TIMEOUT_MS;
    while (Date.now() < until) {
      const answer = await shop.api
        .post("/v1/payments", body, { "Idempotency-Key": key })
        .catch(() => undefined);
      if (answer?.status === 201) return void acknowledged.set(key, answer.body.id);
      if (answer !== undefined && ![503, 504].includes(answer.status)) {
        strange.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    strange.push(`${key} was never acknowledged`);
  }

  const working = Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (!stopping && sent < ORDERS_MAX) {
        await gate;
        if (stopping) return;
        underWay++;
        await order(`${run}-${sent++}`);
        underWay--;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }),
  );
  return {
    acknowledged,
    strange,
    more: async (count) => {
      const goal = acknowledged.size + count;
      await until(() => acknowledged.size >= goal, {
        timeoutMs: HEALED_TIMEOUT_MS,
        what: `${count} more acknowledged orders`,
      });
    },
    pause: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      [gate, openGate] = [promise, resolve];
      await until(() => underWay === 0, { what: "the end of the orders under way" });
      return resolve;
    },
    finish: async () => {
      stopping = true;
      openGate();
      await working;
    },
  };
}
