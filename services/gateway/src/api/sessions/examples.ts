import type { Examples } from "../example-answers.ts";

export const EXAMPLES: Examples = {
  "POST /v1/auth/sso": {
    request: { token: "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJ6b2UifQ.MEUCIQDx" },
    response: {
      sessionToken: "sess_5aS7pO9iU1yT3rE5wQ6z9Lzr2sXc4vB6nM8kJ0hG3fD",
      expiresAt: "2026-01-31T13:00:00.000Z",
    },
  },
  "POST /v1/auth/sessions/revoke": {
    request: { subject: "zoe" },
    response: { revoked: 2 },
  },
};
