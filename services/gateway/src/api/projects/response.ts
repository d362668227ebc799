import { checksumAddress, toAddress, UNSIGNED_CLAIMS } from "@pay/values";
import { z } from "zod";
import type { KeyMode } from "../../keys/caller.ts";
import { findCallbackUrl, type Project } from "../../projects/storage.ts";
import { buildShape, pick } from "../response-fields.ts";

/** A project as a key of the mode sees it. */
interface Seen extends Project {
  mode: KeyMode;
  webhookSecret?: string;
}

const ssoShape = z.strictObject({
  issuer: z.string(),
  audience: z.string(),
  jwksUrl: z.string().nullable(),
});

const FIELDS = {
  id: { schema: z.string(), of: (p: Seen) => p.id },
  name: { schema: z.string(), of: (p: Seen) => p.name },
  callbackUrl: { schema: z.string().nullable(), of: (p: Seen) => findCallbackUrl(p, p.mode) },
  webhookSecret: { schema: z.string(), of: (p: Seen) => p.webhookSecret },
  allowedOrigins: { schema: z.array(z.string()), of: (p: Seen) => p.allowed_origins },
  brandingConfig: {
    schema: z.record(z.string(), z.unknown()).nullable(),
    of: (p: Seen) => p.branding_config,
  },
  paymentLifetimeMinutes: {
    schema: z.int(),
    of: (p: Seen) => p.payment_lifetime_minutes,
  },
  payoutWallets: {
    schema: z.array(z.string()),
    of: (p: Seen) => p.payout_wallets.map((wallet) => checksumAddress(toAddress(wallet))),
  },
  unsignedClaims: {
    schema: z.enum(UNSIGNED_CLAIMS),
    of: (p: Seen) => p.unsigned_claims ?? "hold",
  },
  sso: {
    schema: ssoShape.nullable(),
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
  "unsignedClaims",
  "sso",
] as const satisfies readonly Field[];

/** What the answer to the change that first gives test mode an address shows besides. */
const ONCE = ["webhookSecret"] as const satisfies readonly Field[];

export function renderProject(
  project: Seen,
  extras: readonly (typeof PROJECT_EXTRAS)[number][] = [],
) {
  return pick(FIELDS, READ, project, extras);
}

export function renderSavedProject(project: Seen) {
  return pick(FIELDS, SAVED, project, project.webhookSecret === undefined ? [] : ONCE);
}

export const projectShape = buildShape(FIELDS, READ, PROJECT_EXTRAS);
export const savedProjectShape = buildShape(FIELDS, SAVED, ONCE);
