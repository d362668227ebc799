// Random histories of one payment: changes of customers and merchants, time, observations of chains, claims on hold,
// and events under way in both directions.
import { expect, test } from "@jest/globals";
import type { ObservedTransfer } from "@pay/events";
import { Failure } from "@pay/failures";
import { type Address, type TxHash, toAddress, toTxHash } from "@pay/values";
import fc from "fast-check";
import { applyObservation } from "./apply-observation.ts";
import { applySubmission } from "./apply-submission.ts";
import {
  ATTEMPTS_MAX,
  assign,
  type ChangeResult,
  cancel,
  declare,
  expire,
  extend,
  isCancelled,
  resolve,
} from "./change.ts";
import { isHashPending } from "./hashes.ts";
import { type Move, type Payment, TRANSITIONS } from "./payment.ts";
import {
  endHold,
  find,
  judge,
  listByState,
  NATURES,
  publishUnproven,
  reorg,
  reorgSurplus,
  type SampleChains,
  type Transaction,
  take,
} from "./sample-chains.ts";
import { samplePayment } from "./sample-payment.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const START = new Date("2026-01-01T00:00:00Z");
const AMOUNT = 5n;
const [WALLET, OTHER] = ["1", "2"].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
];
const HASHES = ["a", "b", "c"].map((digit) => toTxHash(`0x${digit.repeat(64)}`));

const COMMANDS = {
  submit: (world, hash) => world.submit(hash, { payer: undefined, byMerchant: false }),
  submitOwn: (world, hash) => world.submit(hash, { payer: WALLET, byMerchant: false }),
  submitByMerchant: (world, hash) => world.submit(hash, { payer: undefined, byMerchant: true }),
  declare: (world) => world.declare(WALLET, false),
  declareOther: (world) => world.declare(OTHER, false),
  sign: (world) => world.declare(WALLET, true),
  signOther: (world) => world.declare(OTHER, true),
  cancel: (world) => world.change((payment) => cancel(payment)),
  extend: (world) => world.change((payment, now) => extend(payment, now)),
  accept: (world) => world.resolve(true),
  reject: (world) => world.resolve(false),
  assign: (world, hash) => world.change((payment, now) => assign(payment, hash, now)),
  judge: (world, hash) => judge(world.chains, hash, { isOver: false }),
  judgeLast: (world, hash) => judge(world.chains, hash, { isOver: world.isOver() }),
  find: (world, hash) => find(world.chains, hash),
  endHold: (world, hash) => endHold(world.chains, hash),
  publishUnproven: (world, hash) => world.isOver() && publishUnproven(world.chains, hash),
  reorg: (world) => reorg(world.chains),
  reorgSurplus: (world) => reorgSurplus(world.chains),
  tellChains: (world) => world.tellChains(1),
  tellPayments: (world) => world.tellPayments(1),
  pass: (world) => world.pass(20 * MINUTE_MS),
  expire: (world) => world.expire(),
} satisfies Record<string, (world: World, hash: TxHash) => unknown>;
type Command = keyof typeof COMMANDS;

type World = ReturnType<typeof begin>;

/** Attempts are used up with few hashes where one is submitted again each time it has failed. */
function begin(transactions: Map<TxHash, Transaction>, attempts: number) {
  let now = START;
  let payment: Payment = { ...samplePayment(START, { amount: `${AMOUNT}` }, 0), attempts };
  const toChains: { type: string; payment: Payment }[] = [{ type: "payment.created", payment }];
  const toPayments: ObservedTransfer[] = [];
  const late: TxHash[] = [];
  const faults: string[] = [];
  const chains: SampleChains = {
    transactions,
    candidates: new Map(),
    known: undefined,
    publish: (seen) => toPayments.push(seen),
  };

  function moved({ trigger, payment: after }: Move) {
    payment = after;
    toChains.push({ type: TRANSITIONS[trigger].event, payment });
  }

  function change(decide: (payment: Payment, now: Date) => ChangeResult) {
    const done = decide(payment, now);
    if (!(done instanceof Failure) && done.kind === "moved") moved(done);
  }

  function hear(seen: ObservedTransfer) {
    const outcome = applyObservation(payment, seen, now);
    if (outcome.kind === "moved") moved(outcome);
    if (outcome.kind === "late") late.push(seen.txHash);
    if (outcome.kind === "mined") payment = { ...payment, block_number: outcome.blockNumber };
    if (outcome.kind === "unapplied") faults.push(`${seen.type} is unapplied`);
    if (outcome.kind === "mismatch") faults.push(`${seen.type} does not fit: ${outcome.field}`);
  }

  /** As the job claims them. */
  function isDue(): boolean {
    const overdueMs = now.getTime() - payment.expires_at.getTime();
    if (["created", "pending"].includes(payment.status)) return overdueMs > 0;
    if (payment.status !== "processing" || overdueMs <= HOUR_MS) return false;
    const { reorged_at, block_number, needs } = payment;
    if (reorged_at !== null && now.getTime() - HOUR_MS - DAY_MS < reorged_at.getTime())
      return false;
    return (block_number === null && needs === null) || overdueMs > 30 * DAY_MS + HOUR_MS;
  }

  return {
    chains,
    late,
    faults,
    change,
    payment: () => payment,
    isOver: () => now.getTime() > payment.expires_at.getTime() + HOUR_MS,
    submit: (txHash: TxHash, how: { payer: Address | undefined; byMerchant: boolean }) => {
      const done = applySubmission(payment, { txHash, ...how }, now);
      if (!(done instanceof Failure) && done.kind === "moved") moved(done);
    },
    declare: (payer: Address, isSigned: boolean) =>
      change((one) => declare(one, { payer, isSigned }, now)),
    resolve: (accept: boolean) =>
      change((one) => resolve(one, { accept, lateHash: late.at(-1) ?? hashIfLate(one) })),
    tellChains: (most: number) => {
      for (const { type, payment: said } of toChains.splice(0, most)) take(chains, type, said);
    },
    tellPayments: (most: number) => {
      for (const seen of toPayments.splice(0, most)) hear(seen);
    },
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    expire: () => {
      if (!isDue()) return;
      const after = expire(payment);
      if (after !== undefined) moved(after);
    },
    isQuiet: () => toChains.length + toPayments.length === 0,
  };
}

function hashIfLate({ status, failure_code, tx_hash }: Payment): string | undefined {
  return status === "expired" && failure_code === "late" ? (tx_hash ?? undefined) : undefined;
}

/** All that is under way arrives, and all that can end ends. */
function rest(world: World) {
  for (const ms of [0, 13 * HOUR_MS, DAY_MS * 2, 40 * DAY_MS]) {
    world.pass(ms);
    for (let round = 0; round < 20; round++) {
      world.tellChains(100);
      for (const hash of HASHES) judge(world.chains, hash, { isOver: world.isOver() });
      world.tellPayments(100);
      if (world.isQuiet()) break;
    }
    world.expire();
  }
}

/** What is promised at every moment. */
function brokenNow({ payment, faults }: World): string | undefined {
  const { status, needs, needs_hash, attempts, other_hashes, payer_signed_at, payer_address } =
    payment();
  if (faults.length > 0) return faults[0];
  if (needs !== null && status !== "processing") return "something is needed of what is decided";
  if (needs !== null && !isHashPending(payment(), toTxHash(needs_hash ?? "")))
    return "something is needed for a hash that has its verdict";
  if (attempts > ATTEMPTS_MAX || (other_hashes?.length ?? 0) > 5) return "too many hashes";
  if (payer_signed_at !== null && payer_address === null) return "a signature without its wallet";
  return undefined;
}

/** What is promised once nothing is under way any more. */
function brokenAtRest({ payment, chains, late }: World): string | undefined {
  const { status, received_base_amount } = payment();
  const proven = [...listByState(chains, "confirmed"), ...listByState(chains, "surplus")];
  if (status === "processing" || status === "created") return "nothing ends it";
  if (proven.length === 0) {
    return status === "confirmed" ? "confirmed without proven money" : undefined;
  }
  if (isCancelled(payment())) {
    return late.length > 0 ? undefined : "money for a cancelled payment that no one is shown";
  }
  if (status !== "confirmed") return "proven money without a confirmed payment";
  return received_base_amount === AMOUNT * BigInt(proven.length)
    ? undefined
    : "what was received is not what was proven";
}

const aTransaction = fc.record<Transaction>({
  nature: fc.constantFrom(...NATURES, "pays", "pays"),
  sender: fc.constantFrom(WALLET, WALLET, OTHER),
  isContested: fc.boolean(),
});
const aStep = fc.tuple(
  fc.constantFrom(...(Object.keys(COMMANDS) as Command[])),
  fc.constantFrom(...HASHES),
);

test("whatever comes first, proven money confirms its payment, and every payment ends", () => {
  fc.assert(
    fc.property(
      fc.tuple(aTransaction, aTransaction, aTransaction),
      fc.array(aStep, { minLength: 5, maxLength: 40, size: "max" }),
      fc.constantFrom(0, 0, ATTEMPTS_MAX - 1, ATTEMPTS_MAX),
      (three, steps, attempts) => {
        const world = begin(
          new Map(HASHES.map((hash, at) => [hash, { ...three[at] } as Transaction])),
          attempts,
        );
        for (const [command, hash] of steps) {
          COMMANDS[command](world, hash);
          expect(brokenNow(world)).toBeUndefined();
        }
        rest(world);
        expect(brokenNow(world) ?? brokenAtRest(world)).toBeUndefined();
      },
    ),
    { numRuns: 1_000, seed: 20_270_203 },
  );
});
