import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import { endSessions } from "../../sessions/end-sessions.ts";
import { exchangeToken } from "../../sessions/exchange-token.ts";
import { SUBJECT_LENGTH_MAX } from "../../sessions/subject.ts";
import { isoTimeShape } from "../field-values.ts";
import { must } from "../must.ts";

const subjectRule = must(`be a string of 1 to ${SUBJECT_LENGTH_MAX} characters`);
// The issuer may write its subjects in any form.
const subjectField = z.string(subjectRule).min(1, subjectRule).max(SUBJECT_LENGTH_MAX, subjectRule);

const tokenRule = must("be a string that is not empty");

const sessions = {
  auth: "secret",
  scope: "sessions:write",
  tag: "Sessions",
  success: 200,
} as const;

export const exchangeTokenRoute = route({
  ...sessions,
  summary: "Exchange a token of the project's identity provider for a shopper's session",
  body: z.object({ token: z.string(tokenRule).min(1, tokenRule) }),
  response: z.strictObject({ sessionToken: z.string(), expiresAt: isoTimeShape }),
  limit: "sso",
  failures: ["sso_not_configured", "sso_token_invalid", "sso_issuer_unavailable"],
  handle: async (call, deps) => exchangeToken(deps, call),
});

export const endSessionsRoute = route({
  ...sessions,
  summary: "End all sessions of a subject at once",
  body: z.object({ subject: subjectField }),
  response: z.strictObject({ revoked: z.int() }),
  limit: "standard",
  handle: async (call, deps) => endSessions(deps, call),
});
