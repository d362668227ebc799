// One payment and the same facts about it in every order in which they can come, some of them twice.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Payment } from "./payment.ts";
import { beginHistory, type History, liveThrough } from "./sample-history.ts";
import { deriveState, isPaid } from "./state.ts";

const RUNS = { numRuns: 500, seed: 20_271_127 };
const OUTCOMES = ["", "mined", "counted", "reverted", "not_found", "ambiguous", "late"] as const;

const anAmount = fc.constantFrom(0, 0, 3, 4, 6, 10, 13);
const aReport = fc.record({
  final: anAmount,
  unproven: anAmount,
  lateFinal: fc.constantFrom(0, 0, 0, 4, 10),
  late: fc.constantFrom(0, 0, 0, 4, 10),
  outcome: fc.constantFrom(...OUTCOMES),
  needs: fc.constantFrom("", " needs=sign arrived=1", " needs=review"),
});

type Report = typeof aReport extends fc.Arbitrary<infer T> ? T : never;

/** Chains knows the hash from the turn that follows its submission. */
function write(list: readonly Report[], knownFrom: number): string[] {
  return list.map(({ final, unproven, lateFinal, late, outcome, needs }, at) => {
    const sums = `final=${final} seen=${final + unproven} lateFinal=${lateFinal} late=${lateFinal + late}`;
    return `money turn=${at + 1} ${sums}${at < knownFrom ? "" : ` a=${outcome}`}${needs}`;
  });
}

const reports = fc.array(aReport, { minLength: 1, maxLength: 4 });
/** Sums of the payment's refunds in their order. */
const refunds = fc.constantFrom(
  [],
  ["completed done=4 held=4"],
  ["created held=10", "completed done=10 held=10"],
  ["completed done=13 held=13 surplus=3"],
  ["completed done=10 held=10", "reorged done=0 held=10", "failed done=0 held=0"],
);
const others = fc.subarray(["sign", "pass 20m"]);

/** The lists mixed, each in its own order. */
function mix(lists: readonly (readonly string[])[], picks: readonly number[]): string[] {
  const rest = lists.map((list) => [...list]);
  const mixed: string[] = [];
  for (let at = 0; rest.some((list) => list.length > 0); at++) {
    const open = rest.filter((list) => list.length > 0);
    mixed.push(open[(picks[at % picks.length] ?? 0) % open.length]?.shift() ?? "");
  }
  return mixed;
}

const picks = fc.array(fc.nat(11), { minLength: 1, maxLength: 12 });

/** After all that can end has ended. */
function rest(history: History): History {
  return liveThrough("pass 2h; pass 40d", history);
}

function summarize({ payment }: History) {
  const { status, failure_code, needs, payer_signed_at } = payment;
  return {
    status,
    failure_code,
    needs,
    isSigned: payer_signed_at !== null,
    sums: [
      payment.received_base_amount,
      payment.final_base_amount,
      payment.late_base_amount,
      payment.refunded_base_amount,
    ],
  };
}

/** The submission at a place among the turns, no later than chains knows of it. */
function submitAt(turns: readonly string[], place: number): string[] {
  return turns.toSpliced(place, 0, "merchant a");
}

test("the same facts give one state, in whatever order they come and however often", () => {
  const places = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4));
  fc.assert(
    fc.property(reports, places, others, picks, picks, (list, [known, ...at], more, one, two) => {
      const turns = write(list, Math.min(known, list.length));
      const alone = more.map((fact) => [fact]);
      function end(place: number, order: readonly number[], times: number) {
        const facts = submitAt(turns, Math.min(place, known, list.length));
        const repeated = facts.flatMap((fact) => Array<string>(times).fill(fact));
        return rest(liveThrough(mix([repeated, ...alone], order).join("; ")));
      }

      const first = end(at[0], one, 1);
      const second = end(at[1], two, 2);
      // A hash or a signature that is refused to a paid payment is no fact.
      fc.pre(first.refused.length + second.refused.length === 0);
      expect(summarize(second)).toEqual(summarize(first));
    }),
    RUNS,
  );
});

/** What is promised at every moment. */
function findBroken(payment: Payment): string | undefined {
  const { status, needs, confirmed_at, final_base_amount, received_base_amount } = payment;
  const final = final_base_amount ?? 0n;
  const accepted = payment.accepted_base_amount;
  const isEnough = final >= payment.base_amount || (accepted !== null && final >= accepted);
  if (final > (received_base_amount ?? 0n)) return "more is proven than has come";
  if (status === "confirmed" && !isEnough) return "confirmed without the money";
  if ((confirmed_at !== null) !== isPaid(payment)) return "a confirmation without a time";
  if ((status === "processing") !== (payment.due_at !== null)) return "processing without an end";
  if (needs !== null && confirmed_at !== null) return "something is needed of what is paid";
  if (status === "confirmed" && (payment.tx_hash === null || payment.block_number === null))
    return "confirmed without a transaction";
  return undefined;
}

test("whatever comes, every move is in the table, and the state is that of the facts", () => {
  const decisions = fc.subarray(
    [
      "accept",
      "reject",
      "cancel",
      "extend",
      "declare",
      "submit a",
      "submit b",
      "pass 31m",
      "pass 2h",
    ],
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(reports, refunds, others, decisions, picks, (list, sums, more, decided, order) => {
      let history = beginHistory();
      const turns = submitAt(write(list, 1), 0);
      const facts = mix([turns, sums, decided, ...more.map((fact) => [fact])], order);
      for (const fact of [...facts, "pass 2h", "pass 40d"]) {
        history = liveThrough(fact, history);
        const { payment, now, refused } = history;
        expect(refused.filter((text) => /unapplied|mismatch/.test(text))).toEqual([]);
        expect([facts, findBroken(payment)]).toEqual([facts, undefined]);
        const { status, failureCode } = deriveState(payment, now);
        expect([status, failureCode]).toEqual([payment.status, payment.failure_code]);
      }
      expect(["created", "pending", "processing"]).not.toContain(history.payment.status);
    }),
    RUNS,
  );
});
