import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import { endSessions } from "../../sessions/end-sessions.ts";
import { exchangeToken } from "../../sessions/exchange-token.ts";
import { SUBJECT_LENGTH_MAX } from "../../sessions/storage.ts";
import { buildRule } from "../field-rules.ts";
import * as shown from "../field-values.ts";

const subjectRule = buildRule(`be a string of 1 to ${SUBJECT_LENGTH_MAX} characters`);
// The issuer may write its subjects in any form.
const subjectField = z.string(subjectRule).min(1, subjectRule).max(SUBJECT_LENGTH_MAX, subjectRule);

const tokenRule = buildRule("be a non-empty string");

const sessions = {
  auth: "secret",
  scope: "sessions:write",
  tag: "Sessions",
  success: 200,
} as const;

export const exchangeTokenRoute = route({
  ...sessions,
  summary: "Exchange a token of the project's identity provider for a customer session",
  body: z.object({
    token: z.string(tokenRule).min(1, tokenRule).meta({
      description: "Token of the identity provider. It can be exchanged once.",
      example: "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJ6b2UifQ.MEUCIQDx",
    }),
  }),
  response: z
    .strictObject({
      sessionToken: shown.string(
        "Token of the customer's session.",
        "sess_5aS7pO9iU1yT3rE5wQ6z9Lzr2sXc4vB6nM8kJ0hG3fD",
      ),
      expiresAt: shown.time("Time at which the session ends.", "2026-01-31T13:00:00.000Z"),
    })
    .meta({ id: "AuthSso" }),
  limit: "sso",
  failures: ["sso_not_configured", "sso_token_invalid", "sso_issuer_unavailable"],
  handle: async (call, deps) => exchangeToken(deps, call),
});

export const endSessionsRoute = route({
  ...sessions,
  summary: "End all sessions of a customer",
  audit: { own: true },
  body: z.object({
    subject: subjectField.meta({
      description: "The customer's `sub` in tokens of the issuer.",
      example: "zoe",
    }),
  }),
  response: z
    .strictObject({ revoked: shown.integer("Number of sessions that ended.", 2) })
    .meta({ id: "AuthSessionRevoke" }),
  limit: "standard",
  handle: async (call, deps) => endSessions(deps, call),
});
