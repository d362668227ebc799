import { z } from "zod";
import { IDS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

export const KINDS = [
  "payment",
  "customer",
  "refund",
  "settlement",
  "transfer",
  "webhook_endpoint",
  "request",
] as const;

export type Kind = (typeof KINDS)[number];

export interface Found {
  kind: Kind;
  id: string;
  title: string;
  subtitle: string;
  at: string | null;
  paymentId?: string | undefined;
}

const FIELDS = {
  kind: { schema: shown.choice(KINDS, "What was found."), of: (found: Found) => found.kind },
  id: { schema: shown.id("pay"), of: (found: Found) => found.id },
  title: {
    schema: shown.string("What people know it by: an amount, a name or an address.", "12.50 USDC"),
    of: (found: Found) => found.title,
  },
  subtitle: {
    schema: shown.string("What tells it from others, e.g. status and order.", "confirmed, 10476"),
    of: (found: Found) => found.subtitle,
  },
  at: { schema: shown.timeOrNull("Time of creation."), of: (found: Found) => found.at },
  paymentId: {
    schema: shown.stringOrNull("Payment that it belongs to; null without one.", IDS.pay),
    of: (found: Found) => found.paymentId ?? null,
  },
};

export const searchResult = z
  .strictObject({
    data: z.array(buildShape("SearchItem", FIELDS, listNames(FIELDS))).describe("Found records."),
    incomplete: z
      .array(z.enum(KINDS))
      .meta({ description: "Kinds that were not searched to the end in time.", example: [] }),
  })
  .meta({ id: "SearchResult" });

export function renderFound(found: Found) {
  return pick(FIELDS, listNames(FIELDS), found);
}
