import { type Examples, page } from "../example-answers.ts";
import { CREATED_AT, KEY_ID } from "../example-values.ts";

const key = {
  id: KEY_ID,
  type: "secret",
  mode: "live",
  scopes: ["payments:read"],
  name: "Reports",
  prefix: "rk_live_",
  last4: "9Lzr",
  createdAt: CREATED_AT,
  createdBy: "operator",
  lastUsedAt: "2026-02-01T09:00:00.000Z",
  expiresAt: null,
  revokedAt: null,
};
const newKey = {
  ...key,
  lastUsedAt: null,
  key: "rk_live_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9Lzr",
};

export const EXAMPLES: Examples = {
  "POST /v1/projects/me/keys": {
    request: { type: "secret", mode: "live", scopes: ["payments:read"], name: "Reports" },
    response: newKey,
  },
  "GET /v1/projects/me/keys": { response: page(key) },
  "DELETE /v1/projects/me/keys/{id}": { response: { deleted: true, id: KEY_ID } },
  "POST /v1/projects/me/keys/{id}/roll": { request: { graceSeconds: 86_400 }, response: newKey },
};
