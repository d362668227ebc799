// How a caller proves who it is.
import type { Route } from "../../pipeline/route.ts";
import type { Json } from "./json-schema.ts";

export const SECURITY_SCHEMES = {
  secretKey: { type: "apiKey", in: "header", name: "X-Secret-Key" },
  publishableKey: { type: "apiKey", in: "header", name: "X-Publishable-Key" },
  clientSecret: {
    type: "apiKey",
    in: "header",
    name: "X-Client-Secret",
    description: "The clientSecret of one payment, which opens that payment alone.",
  },
  session: { type: "http", scheme: "bearer", description: "A shopper's session: sess_…" },
};

const BY_KEY: Record<Route["auth"], Json[]> = {
  secret: [{ secretKey: [] }],
  publishable: [{ publishableKey: [] }],
  none: [],
};

/** The ways to authenticate, of which a request uses one; a session goes with a key. */
export function buildSecurity({ auth, session, client }: Route): Json[] {
  return [
    ...BY_KEY[auth],
    ...(session === undefined ? [] : [{ publishableKey: [], session: [] }]),
    ...(client === undefined ? [] : [{ clientSecret: [] }]),
  ];
}
