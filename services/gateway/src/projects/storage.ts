// Projects and their keys. A change of a project is one statement, guarded by the version it was decided on, that
// also writes the event, so consumers receive every version once and no version that was not stored.
import type { AllWritten, Queryable, RowFrom } from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import type { ScreeningPolicy, UnnamedTransfers } from "@pay/values";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { ProjectModel } from "../generated/prisma/models.ts";
import * as sql from "../generated/sql.ts";
import type { KeyMode } from "../keys/caller.ts";
import type { NewKey } from "../keys/new-key.ts";
import type { NeedKind } from "../needs/need.ts";
import type { StoredWallets } from "./default-wallets.ts";

/** A row of the table. */
export type Project = RowFrom<
  ProjectModel,
  {
    branding_config: Record<string, unknown> | null;
    variant: "primary" | "b" | null;
    unnamed_transfers: UnnamedTransfers | null;
    wallets: StoredWallets;
    screening: ScreeningPolicy | null;
    sso: SsoSettings | null;
    notices: Notice[] | null;
  }
>;

/** Who is told of what waits for a person. */
export interface Notice {
  /** One of the two. */
  url?: string;
  /** Of a member. */
  email?: string;
  /** Empty for all. */
  kinds: NeedKind[];
}

/** Where events of the mode go. */
export function findCallbackUrl(
  project: Pick<Project, "callback_url" | "test_callback_url">,
  mode: KeyMode,
): string | null {
  return mode === "live" ? project.callback_url : project.test_callback_url;
}

export async function insertProject(
  db: Queryable,
  project: Pick<Project, "id" | "name" | "variant" | "created_at"> & { api_version: string },
  keys: readonly NewKey[],
  event: OutboxRow,
): Promise<void> {
  await sql.insertProject(db, {
    id: project.id,
    name: project.name,
    apiVersion: project.api_version,
    createdAt: project.created_at,
    variant: project.variant,
    keys: keys.map((key) => ({ ...key, pepper_version: key.pepperVersion })),
    events: [eventRow(event)],
  });
}

export async function findProject(prisma: PrismaClient, id: string): Promise<Project | undefined> {
  const project = await prisma.project.findUnique({ where: { id } });
  return (project ?? undefined) as Project | undefined;
}

/** Each column is written by a change, or by the creation alone. */
true satisfies AllWritten<
  Exclude<
    keyof Project,
    keyof Parameters<typeof sql.updateProject>[1] | "created_at" | "api_version"
  >
>;

/** False when the project was changed since it was read. */
export async function updateProject(
  db: Queryable,
  project: Project,
  event: OutboxRow,
): Promise<boolean> {
  const changed = await sql.updateProject(db, { ...project, events: [eventRow(event)] });
  return changed === 1;
}

/** Which OpenID Connect issuer a project trusts to name its shoppers. */
export interface SsoSettings {
  /** Compared character by character with the issuer in a token, so it is stored as it was written. */
  issuer: string;
  /** The name under which the issuer addresses tokens to this project. */
  audience: string;
  /** Where the issuer's keys are; null: where its discovery document says. */
  jwksUrl: string | null;
}
