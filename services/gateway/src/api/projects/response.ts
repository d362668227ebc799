import { checksumAddress, toAddress, UNNAMED_TRANSFERS } from "@pay/values";
import { z } from "zod";
import type { KeyMode } from "../../keys/caller.ts";
import { type DefaultWallets, getWallets } from "../../projects/default-wallets.ts";
import { findCallbackUrl, type Project } from "../../projects/storage.ts";
import { ADDRESS, WEBHOOK_SECRET } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, pick } from "../response-fields.ts";
import { renderScreening, screeningShape } from "./screening.ts";

/** A project as a key of the mode sees it. */
interface Seen extends Project {
  mode: KeyMode;
  now: Date;
  webhookSecret?: string;
  /** Of the logo as we keep it. */
  logoUrl?: string | null;
}

const walletList = z.array(
  z.strictObject({ chainId: shown.chainId, address: shown.string("Your wallet.", ADDRESS) }),
);

function findWallets({ wallets, now }: Seen): DefaultWallets {
  return getWallets(wallets, now);
}

const ssoShape = z.strictObject({
  issuer: shown.string("URL of the trusted identity provider.", "https://login.shop.example"),
  audience: shown.string("Value of `aud` in tokens for this project.", "mug-shop"),
  jwksUrl: shown.stringOrNull(
    "URL of the issuer's keys, for an issuer without a discovery document.",
  ),
});

const FIELDS = {
  id: { schema: shown.id("proj"), of: (p: Seen) => p.id },
  name: { schema: shown.string("Name of the project.", "Mug shop"), of: (p: Seen) => p.name },
  callbackUrl: {
    schema: shown.stringOrNull(
      "URL that receives the webhooks of the key's mode; null for none.",
      "https://shop.example/webhooks",
    ),
    of: (p: Seen) => findCallbackUrl(p, p.mode),
  },
  webhookSecret: {
    schema: shown.string(
      "Secret of the webhooks of test mode. Returned once, when the URL is first set.",
      WEBHOOK_SECRET,
    ),
    of: (p: Seen) => p.webhookSecret,
  },
  allowedOrigins: {
    schema: shown.strings(
      "Origins whose pages may call with the publishable key; an empty list allows all.",
      ["https://shop.example"],
    ),
    of: (p: Seen) => p.allowed_origins,
  },
  brandingConfig: {
    schema: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description: "Design of the checkout page: color, theme, names and addresses.",
        example: { primaryColor: "#1A73E8" },
      }),
    of: (p: Seen) => p.branding_config,
  },
  logoUrl: {
    schema: shown.stringOrNull(
      "URL of the logo as the checkout page shows it; null where it shows none.",
    ),
    of: (p: Seen) => p.logoUrl ?? null,
  },
  paymentLifetimeMinutes: {
    schema: shown.integer("Default number of minutes until a payment expires.", 30),
    of: (p: Seen) => p.payment_lifetime_minutes,
  },
  payoutWallets: {
    schema: shown.strings(
      "Further wallets of yours whose transactions count for refunds that are submitted from then on.",
    ),
    of: (p: Seen) => p.payout_wallets.map((wallet) => checksumAddress(toAddress(wallet))),
  },
  wallets: {
    schema: walletList.describe(
      "Your wallet on each chain, for payments without recipientAddress.",
    ),
    of: (p: Seen) => findWallets(p).current,
  },
  pendingWallets: {
    schema: z
      .strictObject({
        wallets: walletList.describe("Wallets that replace the present ones."),
        usableAt: shown.time("Time from which they do.", "2026-02-01T12:00:00.000Z"),
      })
      .nullable()
      .describe("A change of wallets that waits; null for none."),
    of: (p: Seen) => findWallets(p).pending,
  },
  unnamedTransfers: {
    schema: shown.choice(
      UNNAMED_TRANSFERS,
      "`match`: a transfer that no wallet has signed for is taken for the payment that alone fits it; `hold`: it waits for a signature or for you. Applies to payments that are created from then on.",
    ),
    of: (p: Seen) => p.unnamed_transfers ?? "match",
  },
  reference: {
    schema: shown.boolean(
      "Whether the transactions that wallets get name their payment, in their data.",
      true,
    ),
    of: (p: Seen) => p.reference,
  },
  depositAddresses: {
    schema: shown.boolean(
      "Whether each payment gets a deposit address, which can only pay its recipientAddress.",
    ),
    of: (p: Seen) => p.deposit_addresses,
  },
  screening: {
    schema: screeningShape
      .nullable()
      .describe("What says from which wallets you take no money unseen; null for nothing."),
    of: ({ screening }: Seen) => screening && renderScreening(screening),
  },
  variant: {
    schema: z
      .enum(["primary", "b"])
      .nullable()
      .describe("Shape of new payments and of lists; null where each request chooses it."),
    of: (p: Seen) => p.variant,
  },
  notices: {
    schema: z
      .array(
        z.strictObject({
          url: shown.stringOrNull("URL that gets a POST; null for an e-mail address."),
          email: shown.stringOrNull(
            "E-mail address of a member; null for a URL.",
            "ane@shop.example",
          ),
          kinds: shown.strings("Kinds of needs; none for all.", ["refund_signature"]),
        }),
      )
      .describe("Who is told of new needs."),
    of: ({ notices }: Seen) =>
      (notices ?? []).map(({ url = null, email = null, kinds }) => ({ url, email, kinds })),
  },
  sso: {
    schema: ssoShape
      .nullable()
      .describe("Identity provider that authenticates customers; null for none."),
    // The database keeps the fields in an order of its own.
    of: ({ sso }: Seen) =>
      sso && { issuer: sso.issuer, audience: sso.audience, jwksUrl: sso.jwksUrl },
  },
};

type Field = keyof typeof FIELDS;

const READ = [
  "id",
  "name",
  "callbackUrl",
  "allowedOrigins",
  "brandingConfig",
] as const satisfies readonly Field[];
const SAVED = ["id", "name", "callbackUrl"] as const satisfies readonly Field[];

/** Fields that an answer shows only when the request names them. */
export const PROJECT_EXTRAS = [
  "paymentLifetimeMinutes",
  "payoutWallets",
  "wallets",
  "pendingWallets",
  "unnamedTransfers",
  "reference",
  "depositAddresses",
  "screening",
  "variant",
  "sso",
  "notices",
  "logoUrl",
] as const satisfies readonly Field[];

/** What the answer to the change that first gives test mode an address shows besides. */
const ONCE = ["webhookSecret"] as const satisfies readonly Field[];
/** What the answer to a change of wallets shows besides. */
const WALLETS = ["wallets", "pendingWallets"] as const satisfies readonly Field[];

export function renderProject(
  project: Seen,
  extras: readonly (typeof PROJECT_EXTRAS)[number][] = [],
) {
  return pick(FIELDS, READ, project, extras);
}

export function renderSavedProject(project: Seen, showsWallets: boolean) {
  return pick(FIELDS, SAVED, project, [
    ...(project.webhookSecret === undefined ? [] : ONCE),
    ...(showsWallets ? WALLETS : []),
  ]);
}

export const projectShape = buildShape("Project", FIELDS, READ, PROJECT_EXTRAS);
export const savedProjectShape = buildShape("UpdatedProject", FIELDS, SAVED, [...ONCE, ...WALLETS]);
