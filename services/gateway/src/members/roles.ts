// Roles are named sets of scopes. A member has one for each mode of a project.
import { type KeyMode, SCOPES, type Scope, type Scopes } from "../keys/caller.ts";

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
    "members:read",
    "payments:write",
    "refunds:write",
    "settlements:write",
    "settlements:approve",
  ]),
  support: role([...READ, "logs:read", "payments:write", "customers:write"]),
  developer: role(
    [
      ...READ,
      "statements:read",
      "audit:read",
      "logs:read",
      "members:read",
      "keys:read",
      "webhooks:write",
    ],
    ["payments:write", "refunds:write", "customers:write", "projects:write", "keys:write"],
  ),
  viewer: role([...READ, "statements:read", "members:read"]),
};

export const OWNER = "owner";
export const ROLE_NAME = /^[a-z][a-z0-9-]{0,39}$/;
export const BUILT_IN_ROLES = Object.keys(ROLES);

const NOTHING: Scopes = new Set();

/** The scopes of the roles that a project made itself, by name. */
export type OwnRoles = ReadonlyMap<string, readonly string[]>;

export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(ROLES, name);
}

export function isRole(name: string, own: OwnRoles): boolean {
  return isBuiltIn(name) || own.has(name);
}

/** Without a role, or with one that is not known any more, a member may do nothing. */
export function getRoleScopes(name: string | null, mode: KeyMode, own: OwnRoles): Scopes {
  if (name === null) return NOTHING;
  if (isBuiltIn(name)) return ROLES[name]?.[mode] ?? NOTHING;
  return new Set(own.get(name) ?? []);
}

/** As pages read it. */
export function toScopesField(scopes: Scopes): "all" | string[] {
  return scopes === "all" ? scopes : [...scopes];
}

/** The first scope that a caller would give and does not have. */
export function findScopeBeyond(caller: Scopes, given: Scopes): string | undefined {
  if (caller === "all") return undefined;
  if (given === "all") return SCOPES.find((scope) => !caller.has(scope)) ?? "all";
  return [...given].find((scope) => !caller.has(scope));
}
