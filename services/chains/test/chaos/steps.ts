// What happens in a run, drawn from its seed.
import type { Random } from "@pay/testing";

/** A provider that tells something wrong, or does not tell all. */
export const LIES = ["no logs", "no receipts", "behind"] as const;
export const LOSSES = [
  "hang up",
  "bad gateway",
  "busy",
  "half an answer",
  "wrong id",
  "silence",
] as const;

export type Step =
  | { kind: "open"; payment: number }
  | { kind: "pay"; payment: number }
  | { kind: "deliver"; replica: number }
  | { kind: "mine"; blocks: number }
  /**
   * What it drops is given to the node again now, or by a later step; or the sender of one payment pays something
   * else.
   */
  | { kind: "reorganise"; depth: number; instead: "resend" | "replace" | "nothing" }
  | { kind: "resend" }
  /** What is paid gets its verdict; then its block goes, and its sender may pay something else. */
  | { kind: "take proofs back"; instead: "resend" | "replace" }
  | { kind: "lose"; provider: number; what: (typeof LOSSES)[number]; share: number; seed: number }
  | { kind: "lie"; provider: number; what: (typeof LIES)[number] }
  | { kind: "heal"; provider: number }
  | { kind: "kill"; replica: number }
  | { kind: "start"; replica: number }
  /** The other process leads, and the one that led does not know it. */
  | { kind: "steal the lease" }
  /** Until the providers were asked so many more questions. */
  | { kind: "wait"; questions: number };

export interface Shape {
  payments: number;
  providers: number;
  replicas: number;
  /** More than a verdict needs, so that some reorganisations take one back, and less than is final. */
  depthMax: number;
  others: number;
}

const SHARES = [0.05, 0.2, 0.5];
const WAIT_MAX = 40;

export function drawSteps(random: Random, shape: Shape): Step[] {
  const steps: Step[] = [];
  const toOpen = Array.from({ length: shape.payments }, (_, at) => at);
  const toPay = [...toOpen];
  let others = shape.others;
  let kills = 0;
  while (toOpen.length + toPay.length + others > 0) {
    if (others > 0 && (toOpen.length + toPay.length === 0 || random.isBelow(0.6))) {
      others--;
      const step = drawOther(random, shape);
      if (step.kind === "kill" && ++kills > KILLS_MAX) continue;
      steps.push(step);
      continue;
    }
    // Some are paid before any process knows of them.
    const list = toOpen.length > 0 && (toPay.length === 0 || random.isBelow(0.6)) ? toOpen : toPay;
    const [payment = 0] = list.splice(0, 1);
    steps.push(list === toOpen ? { kind: "open", payment } : { kind: "pay", payment });
  }
  return steps;
}

/** Starting a process again takes longer than all else. */
const KILLS_MAX = 3;

function drawOther(random: Random, { providers, replicas, depthMax }: Shape): Step {
  const provider = random.below(providers);
  const replica = random.below(replicas);
  const draws: [number, () => Step][] = [
    [6, () => ({ kind: "mine", blocks: 1 + random.below(3) })],
    [
      3,
      () => ({
        kind: "reorganise",
        depth: 1 + random.below(depthMax),
        instead: random.pick(["resend", "replace", "replace", "nothing"]),
      }),
    ],
    [2, () => ({ kind: "resend" })],
    [1, () => ({ kind: "take proofs back", instead: random.pick(["resend", "replace"]) })],
    [
      4,
      () => ({
        kind: "lose",
        provider,
        what: random.pick(LOSSES),
        share: random.pick(SHARES),
        seed: random.below(1_000),
      }),
    ],
    // Only the first one lies, so that another one tells the truth.
    [2, () => ({ kind: "lie", provider: 0, what: random.pick(LIES) })],
    [3, () => ({ kind: "heal", provider })],
    [1, () => ({ kind: "kill", replica })],
    [2, () => ({ kind: "start", replica })],
    [2, () => ({ kind: "steal the lease" })],
    [5, () => ({ kind: "deliver", replica })],
    [6, () => ({ kind: "wait", questions: 1 + random.below(WAIT_MAX) })],
  ];
  let left = random.next() * draws.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, draw] of draws) {
    left -= weight;
    if (left < 0) return draw();
  }
  return { kind: "resend" };
}
