import { isDeepStrictEqual } from "node:util";
import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import type { UnnamedTransfers } from "@pay/values";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { projectEvent } from "./events.ts";
import { findProject, type Project, type SsoSettings, updateProject } from "./storage.ts";

/** Fields that are undefined stay as they are. */
export interface ProjectChange {
  name?: string | undefined;
  callbackUrl?: string | null | undefined;
  testCallbackUrl?: string | null | undefined;
  allowedOrigins?: string[] | undefined;
  brandingConfig?: Record<string, unknown> | null | undefined;
  paymentLifetimeMinutes?: number | undefined;
  payoutWallets?: string[] | undefined;
  unnamedTransfers?: UnnamedTransfers | null | undefined;
  variant?: Project["variant"] | undefined;
  sso?: SsoSettings | null | undefined;
}

export interface ChangeParts {
  pool: Pool;
  prisma: PrismaClient;
  clock: Clock;
  relay: { wake(): void };
  /** Removes a project's keys from the cache, because they contain its settings. */
  authenticator: { forget(projectId: string): void };
}

/** A change that changes nothing makes no event. */
export async function changeProject(
  deps: ChangeParts,
  id: string,
  change: ProjectChange,
  requestId: string,
): Promise<Project> {
  return retryOnStaleVersion("project", async () => {
    const before = await findProject(deps.prisma, id);
    if (before === undefined) throw new Failure("project_not_found", "Project not found");
    const wanted = applied(before, change);
    if (isDeepStrictEqual(wanted, before)) return before;
    const after = { ...wanted, version: before.version + 1, updated_at: deps.clock.now() };
    const event = projectEvent("project.updated", after, requestId);
    if (!(await updateProject(deps.pool, after, event))) return undefined;
    deps.authenticator.forget(id);
    deps.relay.wake();
    return after;
  });
}

function applied(project: Project, change: ProjectChange): Project {
  function value<T>(given: T | undefined, present: T): T {
    return given === undefined ? present : given;
  }

  const sso = value(change.sso, project.sso);
  return {
    ...project,
    name: value(change.name, project.name),
    callback_url: value(change.callbackUrl, project.callback_url),
    test_callback_url: value(change.testCallbackUrl, project.test_callback_url),
    allowed_origins: value(change.allowedOrigins, project.allowed_origins),
    branding_config: value(change.brandingConfig, project.branding_config),
    payment_lifetime_minutes: value(
      change.paymentLifetimeMinutes,
      project.payment_lifetime_minutes,
    ),
    payout_wallets: value(change.payoutWallets, project.payout_wallets),
    unnamed_transfers: value(change.unnamedTransfers, project.unnamed_transfers),
    variant: value(change.variant, project.variant),
    sso,
    sso_version: project.sso_version + (isDeepStrictEqual(sso, project.sso) ? 0 : 1),
  };
}
