// How far a transaction came through the rules of a verdict. Their order is the one of the verification: first whether
// the transaction is settled, then what it did (claim.ts).
import { type Outcome, type Reason, RULES, type Rule } from "@pay/values";
import type { Wait } from "./evidence.ts";

export type CandidateState = "waiting" | "confirmed" | "surplus" | "rejected" | "abandoned";

/** How far a transaction came. */
export interface Progress {
  state: CandidateState;
  reason: Reason | undefined;
  waitsFor: Wait | undefined;
}

const RULE_OF_WAIT: Readonly<Record<Wait, Rule>> = {
  provider: "found",
  transaction: "found",
  block: "mined",
  depth: "settled",
  agreement: "providers",
  claim: "attribution",
  signature: "attribution",
  trace: "recipient",
};

const RULE_OF_REASON: Readonly<Record<Reason, Rule>> = {
  reverted: "succeeded",
  recipient_mismatch: "recipient",
  wrong_token: "currency",
  payer_mismatch: "attribution",
  predates_payment: "not_before",
  late: "not_after",
  transfer_already_used: "unused",
  underpaid: "amount",
  replaced: "found",
  not_found: "found",
  reorged: "mined",
  ambiguous: "attribution",
};

/** What comes on top of a paid amount is bound by neither. */
const NOT_OF_SURPLUS: ReadonlySet<Rule> = new Set(["not_after", "amount"]);

/** The outcome of every rule: all before the one that decides have passed. */
export function listOutcomes(progress: Progress): { name: Rule; outcome: Outcome }[] {
  const { state } = progress;
  if (state === "confirmed" || state === "surplus") {
    return RULES.map((name) => ({
      name,
      outcome: state === "surplus" && NOT_OF_SURPLUS.has(name) ? "not_applied" : "passed",
    }));
  }
  const { rule, outcome } = decisive(progress);
  const place = RULES.indexOf(rule);
  return RULES.map((name, at) => ({
    name,
    outcome: at < place ? "passed" : at === place ? outcome : "not_reached",
  }));
}

function decisive({ state, reason, waitsFor }: Progress): { rule: Rule; outcome: Outcome } {
  if (state === "rejected" && reason !== undefined) {
    return { rule: RULE_OF_REASON[reason], outcome: "failed" };
  }
  if (state === "abandoned") return { rule: "found", outcome: "failed" };
  // Before the first verification nothing is known.
  return { rule: waitsFor === undefined ? "found" : RULE_OF_WAIT[waitsFor], outcome: "waiting" };
}
