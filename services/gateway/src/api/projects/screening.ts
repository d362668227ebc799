// What says which wallets are screened, as the owner of a project sets it.
import type { Policy } from "@pay/egress";
import { Failure } from "@pay/failures";
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

const screeningRule = buildRule(
  "be an object with onFail and one of oracle, list and url, or null",
);

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
      url: z
        .string(buildRule("be an https URL"))
        .optional()
        .describe("URL of your server, which gets a POST for each wallet and answers `flagged`."),
      onFail: field
        .choiceField(ON_FAIL)
        .optional()
        .describe("What becomes of a payment where nothing answers in time; `review` by default."),
    },
    screeningRule,
  )
  .refine(
    ({ oracle, list, url }) => [oracle, list, url].filter((one) => one !== undefined).length === 1,
    screeningRule,
  );

/** As it is stored. */
export function toScreening(
  callbackPolicy: Policy,
  { oracle, list = [], url, onFail = "review" }: z.output<typeof screeningFields>,
): ScreeningPolicy {
  if (url !== undefined) {
    const checked = callbackPolicy.check(url);
    if (checked.url !== undefined) return { url: checked.url, onFail };
    throw new Failure("field_invalid", `screening.url ${checked.refused}`);
  }
  return oracle === undefined ? { list, onFail } : { oracle, onFail };
}

export const screeningShape = z.strictObject({
  oracle: shown.string("Contract on the chain of each payment.", ADDRESS).optional(),
  list: shown.strings("Wallets.", [ADDRESS]).optional(),
  url: shown.string("URL of your server.", "https://shop.example/screen/k3y").optional(),
  onFail: shown.choice(ON_FAIL, "What becomes of a payment where nothing answers in time."),
});

export function renderScreening({ oracle, list, url, onFail }: ScreeningPolicy) {
  return {
    ...(oracle !== undefined && { oracle: checksumAddress(oracle) }),
    ...(list !== undefined && { list: list.map(checksumAddress) }),
    ...(url !== undefined && { url }),
    onFail,
  };
}
