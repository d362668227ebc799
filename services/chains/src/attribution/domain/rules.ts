// How far a submitted transaction came, as the list of rules that people read.
import { type Reason, RULES, type Rule, type Outcome as RuleOutcome } from "@pay/values";
import type { TransactionState, Wait } from "../../verification/domain/transaction.ts";
import type { Outcome } from "./money.ts";

export interface Progress {
  state: TransactionState | undefined;
  outcome: Outcome | undefined;
  waitsFor: Wait | undefined;
}

const RULE_OF_WAIT: Readonly<Record<Wait, Rule>> = {
  provider: "found",
  transaction: "found",
  block: "mined",
  depth: "settled",
  agreement: "providers",
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

/** The outcome of every rule: all before the one that decides have passed. */
export function listOutcomes(progress: Progress): { name: Rule; outcome: RuleOutcome }[] {
  if (progress.outcome === "counted") return RULES.map((name) => ({ name, outcome: "passed" }));
  const { rule, outcome } = findDecisive(progress);
  const place = RULES.indexOf(rule);
  return RULES.map((name, at) => ({
    name,
    outcome: at < place ? "passed" : at === place ? outcome : "not_reached",
  }));
}

function findDecisive({ state, outcome, waitsFor }: Progress): {
  rule: Rule;
  outcome: RuleOutcome;
} {
  if (outcome !== undefined && outcome !== "counted") {
    return { rule: RULE_OF_REASON[outcome], outcome: "failed" };
  }
  // It is proven, and waits for what only a signature tells.
  if (state === "proven") return { rule: "attribution", outcome: "waiting" };
  return { rule: waitsFor === undefined ? "found" : RULE_OF_WAIT[waitsFor], outcome: "waiting" };
}
