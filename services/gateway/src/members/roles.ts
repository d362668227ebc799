// Roles are named sets of scopes. A member has one for each mode of a project.
import type { KeyMode, Scope, Scopes } from "../keys/caller.ts";

const READ: readonly Scope[] = [
  "payments:read",
  "customers:read",
  "refunds:read",
  "settlements:read",
  "projects:read",
  "webhooks:read",
];

/** A role that may write less where the money is real. */
function role(live: readonly Scope[], testOnly: readonly Scope[] = []) {
  return { live: new Set(live), test: new Set([...live, ...testOnly]) };
}

const ROLES: Readonly<Record<string, Record<KeyMode, Scopes>>> = {
  owner: { live: "all", test: "all" },
  finance: role([
    ...READ,
    "statements:read",
    "audit:read",
    "payments:write",
    "refunds:write",
    "settlements:write",
    "settlements:approve",
  ]),
  support: role([...READ, "payments:write", "customers:write"]),
  developer: role(
    [...READ, "statements:read", "audit:read", "webhooks:write"],
    ["payments:write", "refunds:write", "customers:write", "projects:write"],
  ),
  viewer: role([...READ, "statements:read"]),
};

export const OWNER = "owner";

const NOTHING: Scopes = new Set();

/** Without a role, or with one that is not known any more, a member may do nothing. */
export function getRoleScopes(name: string | null, mode: KeyMode): Scopes {
  if (name === null || !Object.hasOwn(ROLES, name)) return NOTHING;
  return ROLES[name]?.[mode] ?? NOTHING;
}

/** As pages read it. */
export function toScopesField(name: string | null, mode: KeyMode): "all" | string[] {
  const scopes = getRoleScopes(name, mode);
  return scopes === "all" ? scopes : [...scopes];
}
