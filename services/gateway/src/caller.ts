import { Mode } from "@pay/proto";
import { Failure } from "@pay/rpc";

export const SCOPES = [
  "payments:read",
  "payments:write",
  "customers:read",
  "customers:write",
  "refunds:read",
  "refunds:write",
  "settlements:read",
  "settlements:write",
  "projects:read",
  "projects:write",
  "webhooks:read",
  "webhooks:write",
  "sessions:write",
] as const;

export type Scope = (typeof SCOPES)[number];
export type KeyType = "secret" | "publishable";
export type KeyMode = "live" | "test";

/** Who calls: a key, and what requests must know of its project. */
export interface Caller {
  keyId: string;
  projectId: string;
  type: KeyType;
  mode: KeyMode;
  /** What a restricted key may do; empty: everything its type may. */
  scopes: readonly Scope[];
  /** Last moment of a key that was rolled. */
  expiresAt: Date | null;
  allowedOrigins: readonly string[];
  paymentLifetimeMinutes: number;
  /** Shape of the project's new payments, where it has settled on one. */
  variant: "primary" | "b" | null;
  /** Version of the interface the project was created with. */
  version: string;
}

const MODES: Record<KeyMode, Mode> = { live: Mode.LIVE, test: Mode.TEST };

/** The caller as the other services know it: every request to them carries this. */
export const tenantOf = ({ projectId, mode }: Caller) => ({ projectId, mode: MODES[mode] });

/** A key without scopes may do everything its type may. */
export const checkScope = (caller: Caller, scope: Scope | undefined): void => {
  if (caller.scopes.length === 0 || scope === undefined || caller.scopes.includes(scope)) return;
  throw new Failure("permission_denied", `API key lacks the scope ${scope}`);
};
