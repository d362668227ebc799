import { Failure } from "@pay/failures";
import { toAddress, toBaseUnits, toChainId, toCurrency } from "@pay/values";
import { z } from "zod";
import type { RefundLimit } from "../../keys/caller.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { TOKEN } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";
import { toJsonSchema } from "../openapi/json-schema.ts";

const LIMITS_MAX = 20;
const NATIVE_DECIMALS = 18;

const listRule = buildRule(
  `be an array of at most ${LIMITS_MAX} objects with chainId, currency and perDay, one for each currency`,
);
const limit = z.strictObject(
  {
    chainId: field.chainId().transform(toChainId),
    currency: field.currency(),
    perDay: field.amount().describe("Sum of a day (UTC) in whole units, as a decimal string."),
  },
  buildRule("be an object with no keys but chainId, currency and perDay"),
);

function nameCurrency({ chainId, currency }: RefundLimit): string {
  return `${chainId} ${toCurrency(currency)}`;
}

export const refundLimits = field
  .listUpTo(LIMITS_MAX, limit, listRule)
  .refine((limits) => new Set(limits.map(nameCurrency)).size === limits.length, listRule)
  .meta({
    openapi: { type: "array", maxItems: LIMITS_MAX, items: toJsonSchema(limit, "input") },
  })
  .optional()
  .describe("What the member may refund although the role may not, to wallets that paid.");

export const refundLimitList = z.array(
  z.strictObject({
    chainId: shown.integer("Chain id.", 1),
    currency: shown.string("`native`, or the contract address of a token.", TOKEN),
    perDay: shown.string("Sum of a day (UTC) in whole units, as a decimal string.", "100"),
  }),
);

/** Later a limit that is no amount of its currency would be none. */
export async function checkCurrencies(
  { catalog }: Pick<Deps, "catalog">,
  limits: readonly RefundLimit[] = [],
): Promise<void> {
  if (limits.length === 0) return;
  const chains = await catalog.chains();
  for (const { chainId, currency, perDay } of limits) {
    const chain = chains.find((known) => known.chainId === BigInt(chainId));
    if (chain === undefined) {
      throw new Failure("chain_unsupported", `Chain ${chainId} is not supported`);
    }
    const decimals =
      currency === "native"
        ? NATIVE_DECIMALS
        : chain.tokens.find(({ address }) => toAddress(address) === toAddress(currency))?.decimals;
    if (decimals !== undefined && toBaseUnits(perDay, decimals) !== undefined) continue;
    throw new Failure(
      "field_invalid",
      "refundLimits must name listed currencies, each with at most as many fraction digits as it has",
    );
  }
}
