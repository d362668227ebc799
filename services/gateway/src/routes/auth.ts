import { z } from "zod";
import { route } from "../route.ts";
import { isoTimeShape } from "../shapes/shape.ts";
import { exchangeToken } from "../sso/exchange.ts";
import { must } from "../validate.ts";

const tokenRule = must("be a string that is not empty");

export const authRoutes = [
  route({
    method: "POST",
    path: "/v1/auth/sso",
    auth: "secret",
    scope: "sessions:write",
    tag: "Sessions",
    summary: "Exchange a token of the project's identity provider for a shopper's session",
    body: z.object({ token: z.string(tokenRule).min(1, tokenRule) }),
    response: z.strictObject({ sessionToken: z.string(), expiresAt: isoTimeShape }),
    success: 200,
    limit: "sso",
    handle: async (call, deps) => exchangeToken(deps, call),
  }),
];
