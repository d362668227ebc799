import { isDeepStrictEqual } from "node:util";
import { Failure } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import type { SsoSettings } from "../sso/settings.ts";
import { projectEvent } from "./events.ts";
import { findProject, type Project, updateProject } from "./storage.ts";

const TRIES_MAX = 5;

/** Fields that are undefined stay as they are. */
export interface ProjectChange {
  name?: string | undefined;
  callbackUrl?: string | null | undefined;
  allowedOrigins?: string[] | undefined;
  brandingConfig?: Record<string, unknown> | null | undefined;
  paymentLifetimeMinutes?: number | undefined;
  sso?: SsoSettings | null | undefined;
}

/** A change that changes nothing makes no event. */
export const changeProject = async (
  deps: Pick<Deps, "pool" | "prisma" | "clock" | "relay" | "authenticator">,
  id: string,
  change: ProjectChange,
  requestId: string,
): Promise<Project> => {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const before = await findProject(deps.prisma, id);
    if (before === undefined) throw new Failure("not_found", "Project not found");
    const wanted = applied(before, change);
    if (isDeepStrictEqual(wanted, before)) return before;
    const after = { ...wanted, version: before.version + 1, updated_at: deps.clock.now() };
    const event = projectEvent("project.updated", after, requestId);
    if (await updateProject(deps.pool, after, event)) {
      deps.authenticator.forget(id);
      deps.relay.wake();
      return after;
    }
  }
  throw new Failure("unavailable", "The project is changing too quickly");
};

const applied = (project: Project, change: ProjectChange): Project => {
  const value = <T>(given: T | undefined, present: T): T => (given === undefined ? present : given);
  const sso = value(change.sso, project.sso);
  return {
    ...project,
    name: value(change.name, project.name),
    callback_url: value(change.callbackUrl, project.callback_url),
    allowed_origins: value(change.allowedOrigins, project.allowed_origins),
    branding_config: value(change.brandingConfig, project.branding_config),
    payment_lifetime_minutes: value(
      change.paymentLifetimeMinutes,
      project.payment_lifetime_minutes,
    ),
    sso,
    sso_version: project.sso_version + (isDeepStrictEqual(sso, project.sso) ? 0 : 1),
  };
};
