import type { Policy } from "@pay/egress";
import type { Clock, Log } from "@pay/process";
import type { Pool } from "pg";
import type { Authenticator } from "./auth.ts";
import type { Backends } from "./backends.ts";
import type { PrismaClient } from "./generated/prisma/client.ts";
import type { Vault } from "./projects/vault.ts";
import type { Shoppers } from "./sso/shoppers.ts";
import type { VerifyToken } from "./sso/verify-token.ts";

/** What the routes work with; built once, in start.ts. */
export interface Deps extends Backends {
  pool: Pool;
  prisma: PrismaClient;
  /** Secret under which keys are digested. */
  pepper: string;
  vault: Vault;
  authenticator: Authenticator;
  /** Whom sessions stand for. */
  shoppers: Shoppers;
  /** Whom a token of a project's issuer speaks of. */
  verifyToken: VerifyToken;
  /** Which addresses a merchant may name for us to call. */
  callbackPolicy: Policy;
  /** Where merchants reach the service. */
  publicUrl: string;
  relay: { wake(): void };
  clock: Clock;
  log: Log;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}
