// Everything that can happen to a payment with two hashes and one refund, in every order, and the state after each
// step. A test leads the product through the steps, many payments at once, and compares what it reads with the model.

export const HASHES = ["A", "B"] as const;
export type Hash = (typeof HASHES)[number];

/**
 * judge: the verdict of the chain on a hash, if the hash was accepted. pass: expiresAt and the hour after it are over.
 */
export type Step = { kind: "submit" | "judge"; hash: Hash } | { kind: "pass" | "ask" | "payBack" };

export interface History {
  /** Which of the two transactions pay the payment, each the whole amount. */
  pays: Readonly<Record<Hash, boolean>>;
  steps: readonly Step[];
}

/** The part of the state that the guarantees are about; sums count whole amounts. */
export interface PaymentState {
  status: "created" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  received: number;
  confirmations: number;
  reserved: number;
  /** Of refunds that have not failed. */
  refunds: number;
}

const STEPS: readonly Step[] = [
  { kind: "submit", hash: "A" },
  { kind: "submit", hash: "B" },
  { kind: "judge", hash: "A" },
  { kind: "judge", hash: "B" },
  { kind: "pass" },
  { kind: "ask" },
  { kind: "payBack" },
];

/** By place in STEPS. A hash is judged after it was submitted; the two hashes are alike, so one of them comes first. */
const BEFORE: readonly [number, number][] = [
  [0, 1],
  [0, 2],
  [1, 3],
  [5, 6],
];

function orders(done: readonly number[] = []): number[][] {
  if (done.length === STEPS.length) return [[...done]];
  return STEPS.map((_, at) => at)
    .filter((step) => !done.includes(step))
    .filter((step) => BEFORE.every(([first, then]) => then !== step || done.includes(first)))
    .flatMap((step) => orders([...done, step]));
}

export function paymentHistories(): History[] {
  return [true, false].flatMap((A) =>
    [true, false].flatMap((B) =>
      orders().map((order) => ({
        pays: { A, B },
        steps: order.map((step) => STEPS[step] as Step),
      })),
    ),
  );
}

interface Model {
  state: PaymentState;
  awaited: readonly Hash[];
  isPast: boolean;
}

function isProven({ status }: PaymentState): boolean {
  return status === "confirmed" || status === "refunded";
}

function submitted(model: Model, hash: Hash): Model {
  const { state, awaited, isPast } = model;
  if (isPast || isProven(state)) return model;
  return { ...model, state: { ...state, status: "processing" }, awaited: [...awaited, hash] };
}

function judged({ pays }: History, model: Model, hash: Hash): Model {
  const { state } = model;
  if (!model.awaited.includes(hash)) return model;
  const awaited = model.awaited.filter((other) => other !== hash);
  function after(change: Partial<PaymentState>) {
    return {
      ...model,
      awaited,
      state: { ...state, ...change },
    };
  }

  if (!pays[hash]) {
    const isOver = state.status === "processing" && awaited.length === 0;
    return after(isOver ? { status: "failed" } : {});
  }
  if (isProven(state)) return after({ received: state.received + 1 });
  return after({ status: "confirmed", received: 1, confirmations: 1 });
}

const WAITING: readonly string[] = ["created", "processing"];

function advance(history: History, model: Model, step: Step): Model {
  const { state } = model;
  switch (step.kind) {
    case "submit":
      return submitted(model, step.hash);
    case "judge":
      return judged(history, model, step.hash);
    case "pass": {
      const status = WAITING.includes(state.status) ? "expired" : state.status;
      return { ...model, isPast: true, state: { ...state, status } };
    }
    case "ask":
      return isProven(state) ? { ...model, state: { ...state, reserved: 1, refunds: 1 } } : model;
    case "payBack":
      return state.refunds === 0 ? model : { ...model, state: { ...state, status: "refunded" } };
  }
}

export interface Expected {
  state: PaymentState;
  /** Hashes that were taken and have no verdict yet: only on those does the chain speak. */
  awaited: readonly Hash[];
}

/** What must be so after the first steps of a history. */
export function expectedAfter(history: History, steps: number): Expected {
  return history.steps.slice(0, steps).reduce((model, step) => advance(history, model, step), {
    state: { status: "created", received: 0, confirmations: 0, reserved: 0, refunds: 0 },
    awaited: [],
    isPast: false,
  } as Model);
}

/** The promises, without regard to how the model works: what is broken, or undefined. */
export function brokenPromise(
  { pays }: History,
  judged: readonly Hash[],
  state: PaymentState,
): string | undefined {
  const proven = judged.filter((hash) => pays[hash]).length;
  if (proven > 0 && !isProven(state)) return "proven money without a confirmed payment";
  if (state.received !== proven) return "what was received is not what was proven";
  if (state.confirmations > 1) return "a payment confirmed twice";
  if (state.reserved !== state.refunds) return "a reservation without its refund";
  return undefined;
}
