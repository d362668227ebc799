// The actions that a caller can take on a payment now. The services judge them by the functions that judge the writes.
import type { Action } from "@pay/proto";
import { z } from "zod";
import { findRefundLimits, mayUse, type Scope } from "../../../keys/caller.ts";
import * as shown from "../../field-values.ts";

const SCOPES = {
  accept: "payments:write",
  reject: "payments:write",
  submit_transaction: "payments:write",
  cancel: "payments:write",
  refund: "refunds:write",
} as const satisfies Record<string, Scope>;

const NAMES = Object.keys(SCOPES) as (keyof typeof SCOPES)[];

export const actionShape = z
  .strictObject({
    name: shown.choice(NAMES, "Name of the action."),
    allowed: shown.boolean("Whether it would be done now.", true),
    why: shown.stringOrNull("Why it would be rejected; null where it is allowed."),
    needs: shown.string("Scope that it needs.", "payments:write"),
  })
  .meta({ id: "PaymentAction" });

type Judged = Pick<Action, "name"> & { failure?: { message: string } | undefined };

type Actor = Parameters<typeof findRefundLimits>[0];

function mayAct(caller: Actor, name: keyof typeof SCOPES): boolean {
  const isLimited = name === "refund" && findRefundLimits(caller) !== undefined;
  return isLimited || mayUse(caller, SCOPES[name]);
}

export function renderActions(caller: Actor, judged: readonly Judged[]) {
  return NAMES.flatMap((name) => {
    const action = judged.find((one) => one.name === name);
    if (action === undefined) return [];
    const needs = SCOPES[name];
    const lacking = mayAct(caller, name) ? null : `The scope ${needs} is missing`;
    const why = action.failure?.message ?? lacking;
    return { name, allowed: why === null, why, needs };
  });
}
