import type { Policy } from "@pay/egress";
import { Failure } from "@pay/failures";
import { toAddress, toChainId, UNNAMED_TRANSFERS } from "@pay/values";
import { z } from "zod";
import type { Caller } from "../../keys/caller.ts";
import { NEED_KINDS } from "../../needs/need.ts";
import { getTarget } from "../../notices/targets.ts";
import { canonicalOrigin } from "../../projects/origins.ts";
import type { Notice } from "../../projects/storage.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";
import { toJsonSchema } from "../openapi/json-schema.ts";
import { ssoFields } from "./issuer.ts";
import { PROJECT_EXTRAS } from "./response.ts";
import { screeningFields } from "./screening.ts";

const ORIGINS_MAX = 50;
const PAYOUT_WALLETS_MAX = 20;
const WALLETS_MAX = 50;
const NOTICES_MAX = 10;

const originRule = buildRule(
  "be an origin: https://host, https://*.host or http://localhost, with an optional port",
);
const origin = z.string(originRule).transform((value, context) => {
  const canonical = value.length > 255 ? undefined : canonicalOrigin(value);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: "custom", message: originRule.error({ input: value }) });
  return z.NEVER;
});

const originsRule = buildRule(`be an array of at most ${ORIGINS_MAX} origins`);

const defaultWalletsRule = buildRule(
  `be an array of at most ${WALLETS_MAX} objects with chainId and address, one for each chain`,
);
const defaultWallet = z.strictObject(
  {
    chainId: field.chainId().transform(toChainId),
    address: field.address().describe("Your wallet on this chain."),
  },
  buildRule("be an object with no keys but chainId and address"),
);

const walletsRule = buildRule(`be an array of at most ${PAYOUT_WALLETS_MAX} EVM addresses`);

const brandingFields = z.strictObject(
  {
    primaryColor: z
      .string(buildRule("be a color in the form #RRGGBB"))
      .regex(/^#[0-9A-Fa-f]{6}$/, buildRule("be a color in the form #RRGGBB"))
      .nullable()
      .optional()
      .describe("Color of the shop, #RRGGBB."),
    logoUrl: field.webUrl().nullable().optional().describe("URL of the shop's logo."),
    displayName: field.name(60).nullable().optional().describe("Name of the shop."),
    theme: field
      .choiceField(["light", "dark"])
      .nullable()
      .optional()
      .describe("`light` or `dark`; without it the preference of the customer's device."),
    supportUrl: field.httpsUrl().nullable().optional().describe("URL of the shop's support page."),
  },
  buildRule(
    "be an object with no keys but primaryColor, logoUrl, displayName, theme and supportUrl",
  ),
);

type BrandingFields = z.output<typeof brandingFields>;
type Branding = { [Name in keyof BrandingFields]: NonNullable<BrandingFields[Name]> };

const branding = brandingFields
  // A field that is null is none.
  .transform(
    (fields) =>
      Object.fromEntries(
        Object.entries(fields).filter(([, value]) => value !== null),
      ) as Partial<Branding>,
  )
  .nullable()
  .optional();

const noticesRule = buildRule(
  `be an array of at most ${NOTICES_MAX} objects with url or email, each of them once`,
);
const kindsRule = buildRule(`be an array of ${NEED_KINDS.join(", ")}`);
const notice = z
  .strictObject(
    {
      url: z
        .string(buildRule("be an https URL"))
        .max(2_048, buildRule("be an https URL"))
        .optional()
        .describe("URL that gets a POST with ids and kinds, without a signature."),
      email: field
        .email()
        .overwrite((email) => email.toLowerCase())
        .optional()
        .describe("E-mail address of a member."),
      kinds: field
        .listUpTo(NEED_KINDS.length, z.enum(NEED_KINDS, kindsRule), kindsRule)
        .transform((kinds) => [...new Set(kinds)])
        .meta({ openapi: { type: "array", items: { type: "string" } } })
        .optional()
        .describe("Kinds of needs; none for all."),
    },
    buildRule("be an object with no keys but url, email and kinds"),
  )
  .refine(({ url, email }) => (url === undefined) !== (email === undefined), noticesRule);

export const projectSettings = z.object({
  name: field.name(100).optional().describe("Name of the project."),
  branding: branding.describe(
    "Design of the checkout page: color, theme, names and addresses; null for none.",
  ),
  brandingConfig: branding.describe("The same as branding, under its name in responses."),
  variant: field
    .choiceField(["primary", "b"])
    .nullable()
    .optional()
    .describe("Shape of new payments and of lists; null where each request chooses it."),
  allowedOrigins: field
    .listUpTo(ORIGINS_MAX, origin, originsRule)
    .meta({ openapi: { type: "array", maxItems: ORIGINS_MAX, items: { type: "string" } } })
    .nullable()
    .optional()
    .describe("Origins whose pages may call with the publishable key; none or null allows all."),
  callbackUrl: z
    .string(buildRule("be an https URL or null"))
    .nullable()
    .optional()
    .describe("URL that receives the webhooks of the key's mode; null for none."),
  paymentLifetimeMinutes: field
    .integer(5, 1440)
    .optional()
    .describe("Default number of minutes until a payment expires."),
  payoutWallets: field
    .listUpTo(PAYOUT_WALLETS_MAX, field.address().transform(toAddress), walletsRule)
    .meta({ openapi: { type: "array", maxItems: PAYOUT_WALLETS_MAX, items: { type: "string" } } })
    .transform((wallets) => [...new Set(wallets)])
    .nullable()
    .optional()
    .describe(
      "Further wallets of yours whose transactions count for refunds that are submitted from then on.",
    ),
  wallets: field
    .listUpTo(WALLETS_MAX, defaultWallet, defaultWalletsRule)
    .refine(
      (wallets) => new Set(wallets.map(({ chainId }) => chainId)).size === wallets.length,
      defaultWalletsRule,
    )
    .meta({
      openapi: {
        type: "array",
        maxItems: WALLETS_MAX,
        items: toJsonSchema(defaultWallet, "input"),
      },
    })
    .nullable()
    .optional()
    .describe(
      "Your wallet on each chain, for payments without recipientAddress; null for none. A change waits.",
    ),
  unnamedTransfers: field
    .choiceField(UNNAMED_TRANSFERS)
    .nullable()
    .optional()
    .describe(
      "`match`: a transfer that no wallet has signed for is taken for the payment that alone fits it; `hold`: it waits for a signature or for you. Applies to payments that are created from then on.",
    ),
  reference: field
    .flag()
    .optional()
    .describe("Whether the transactions that wallets get name their payment, in their data."),
  depositAddresses: field
    .flag()
    .optional()
    .describe(
      "Whether payments created from then on get a deposit address each, which can only pay recipientAddress.",
    ),
  notices: field
    .listUpTo(NOTICES_MAX, notice, noticesRule)
    .meta({
      openapi: { type: "array", maxItems: NOTICES_MAX, items: toJsonSchema(notice, "input") },
    })
    .nullable()
    .optional()
    .describe("Who is told of new needs, at most hourly; null for nobody."),
  screening: screeningFields
    .nullable()
    .optional()
    .describe("What says from which wallets you take no money unseen; null for nothing."),
  sso: ssoFields
    .nullable()
    .optional()
    .describe("Identity provider that authenticates customers; null for none."),
});

export const projectExpansion = z.object({ expand: field.expansion(PROJECT_EXTRAS) });

/** The two names of one field. */
export function pickBranding({ branding, brandingConfig }: z.output<typeof projectSettings>) {
  if (branding === undefined) return brandingConfig;
  if (brandingConfig === undefined) return branding;
  throw new Failure("field_invalid", "branding and brandingConfig are one field; send one of them");
}

/** The canonical spelling of an address we may call, checked now by its text alone, and again at every call. */
export function callableUrl(
  callbackPolicy: Policy,
  callbackUrl: string | null | undefined,
): string | null | undefined {
  if (typeof callbackUrl !== "string") return callbackUrl;
  const { url, refused } = callbackPolicy.check(callbackUrl);
  if (url === undefined) throw new Failure("field_invalid", `callbackUrl ${refused}`);
  return url;
}

export function checkedNotices(
  callbackPolicy: Policy,
  given: z.output<typeof notice>[] | null | undefined,
): Notice[] | undefined {
  if (given === undefined) return undefined;
  const notices = (given ?? []).map(({ url, email, kinds = [] }, at): Notice => {
    if (email !== undefined) return { email, kinds };
    const checked = callbackPolicy.check(url ?? "");
    if (checked.url !== undefined) return { url: checked.url, kinds };
    throw new Failure("field_invalid", `notices.${at}.url ${checked.refused}`);
  });
  if (new Set(notices.map(getTarget)).size === notices.length) return notices;
  throw new Failure("field_invalid", "notices must have each url and each email once");
}

/**
 * A project has these once, for both modes: how shoppers know it, and how long payments live. A test key must not
 * change them.
 */
const LIVE_ONLY = [
  "name",
  "branding",
  "brandingConfig",
  "variant",
  "paymentLifetimeMinutes",
] as const;

export function checkMode({ mode }: Caller, body: z.output<typeof projectSettings>): void {
  const named = LIVE_ONLY.filter((name) => body[name] !== undefined);
  if (mode === "live" || named.length === 0) return;
  const names = named.join(", ");
  throw new Failure("live_key_required", `${names} can only be changed with a live key`);
}
