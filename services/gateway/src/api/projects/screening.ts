// What says which wallets are screened, as the owner of a project sets it.
import {
  checksumAddress,
  ON_FAIL,
  SCREENING_LIST_MAX,
  type ScreeningPolicy,
  toAddress,
} from "@pay/values";
import { z } from "zod";
import { ADDRESS } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";

const listRule = buildRule(`be an array of 1 to ${SCREENING_LIST_MAX} EVM addresses`);

const screeningRule = buildRule("be an object with onFail and either oracle or list, or null");

export const screeningFields = z
  .strictObject(
    {
      oracle: field
        .address()
        .transform(toAddress)
        .optional()
        .describe("Contract with `isSanctioned(address)` on the chain of each payment."),
      list: field
        .listUpTo(SCREENING_LIST_MAX, field.address().transform(toAddress), listRule)
        .refine((list) => list.length > 0, listRule)
        .meta({
          openapi: { type: "array", maxItems: SCREENING_LIST_MAX, items: { type: "string" } },
        })
        .transform((list) => [...new Set(list)])
        .optional()
        .describe("Wallets."),
      onFail: field
        .choiceField(ON_FAIL)
        .optional()
        .describe("What becomes of a payment where nothing answers in time; `review` by default."),
    },
    screeningRule,
  )
  .refine(({ oracle, list }) => (oracle === undefined) !== (list === undefined), screeningRule);

/** As it is stored. */
export function toScreening({
  oracle,
  list = [],
  onFail = "review",
}: z.output<typeof screeningFields>): ScreeningPolicy {
  return oracle === undefined ? { list, onFail } : { oracle, onFail };
}

export const screeningShape = z.strictObject({
  oracle: shown.string("Contract on the chain of each payment.", ADDRESS).optional(),
  list: shown.strings("Wallets.", [ADDRESS]).optional(),
  onFail: shown.choice(ON_FAIL, "What becomes of a payment where nothing answers in time."),
});

export function renderScreening({ oracle, list, onFail }: ScreeningPolicy) {
  return {
    ...(oracle !== undefined && { oracle: checksumAddress(oracle) }),
    ...(list !== undefined && { list: list.map(checksumAddress) }),
    onFail,
  };
}
