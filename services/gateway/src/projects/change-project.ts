import { isDeepStrictEqual } from "node:util";
import { retryOnStaleVersion, transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import type { ScreeningPolicy, UnnamedTransfers } from "@pay/values";
import type { Pool } from "pg";
import type { Changes } from "../audit/entries.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { saveNoticeTurns } from "../generated/sql.ts";
import { getTarget } from "../notices/targets.ts";
import { planWallets, type Wallet } from "./default-wallets.ts";
import { projectEvent } from "./events.ts";
import {
  findProject,
  type Notice,
  type Project,
  type SsoSettings,
  updateProject,
} from "./storage.ts";

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
  reference?: boolean | undefined;
  depositAddresses?: boolean | undefined;
  wallets?: Wallet[] | undefined;
  screening?: ScreeningPolicy | null | undefined;
  variant?: Project["variant"] | undefined;
  sso?: SsoSettings | null | undefined;
  notices?: Notice[] | undefined;
}

export interface ChangeParts {
  pool: Pool;
  prisma: PrismaClient;
  clock: Clock;
  /** How long a change of the default wallets waits. */
  walletDelayMs: number;
  relay: { wake(): void };
  /** Removes a project's keys from the cache, because they contain its settings. */
  authenticator: { forget(projectId: string): void };
}

export interface ChangeCause {
  requestId: string;
  /** The id of the key or of the member. */
  actor: string;
  audit: Pick<AuditTrail, "record">;
}

/** A change that changes nothing makes no event and no entry in the audit log. */
export async function changeProject(
  deps: ChangeParts,
  id: string,
  change: ProjectChange,
  { requestId, actor, audit }: ChangeCause,
): Promise<Project> {
  return retryOnStaleVersion("project", async () => {
    const before = await findProject(deps.prisma, id);
    if (before === undefined) throw new Failure("project_not_found", "Project not found");
    const now = deps.clock.now();
    const wanted = applied(before, change, { now, delayMs: deps.walletDelayMs });
    if (isDeepStrictEqual(wanted, before)) return before;
    const after = { ...wanted, version: before.version + 1, updated_at: now };
    const changes = describeChange(before, after);
    const note = { changed_fields: Object.keys(changes), changed_by: actor };
    const event = projectEvent("project.updated", after, requestId, note);
    const isStored = await transaction(deps.pool, async (tx) => {
      if (!(await updateProject(tx, after, event))) return false;
      if (change.notices !== undefined) {
        const targets = change.notices.map(getTarget);
        await saveNoticeTurns(tx, { projectId: id, targets, now });
      }
      await audit.record(tx, { targetId: id, changes });
      return true;
    });
    if (!isStored) return undefined;
    deps.authenticator.forget(id);
    deps.relay.wake();
    return after;
  });
}

function applied(
  project: Project,
  change: ProjectChange,
  delay: Parameters<typeof planWallets>[2],
): Project {
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
    reference: value(change.reference, project.reference),
    deposit_addresses: value(change.depositAddresses, project.deposit_addresses),
    wallets:
      change.wallets === undefined
        ? project.wallets
        : planWallets(project.wallets, change.wallets, delay),
    screening: value(change.screening, project.screening),
    variant: value(change.variant, project.variant),
    notices: change.notices?.length === 0 ? null : value(change.notices, project.notices),
    sso,
    sso_version: project.sso_version + (isDeepStrictEqual(sso, project.sso) ? 0 : 1),
  };
}

/** Names of fields by column; values are recorded where they are no secret and no personal data. */
const FIELDS = {
  name: { field: "name", isShown: true },
  callback_url: { field: "callbackUrl", isShown: false },
  test_callback_url: { field: "callbackUrl", isShown: false },
  allowed_origins: { field: "allowedOrigins", isShown: true },
  branding_config: { field: "branding", isShown: false },
  payment_lifetime_minutes: { field: "paymentLifetimeMinutes", isShown: true },
  payout_wallets: { field: "payoutWallets", isShown: true },
  unnamed_transfers: { field: "unnamedTransfers", isShown: true },
  reference: { field: "reference", isShown: true },
  deposit_addresses: { field: "depositAddresses", isShown: true },
  wallets: { field: "wallets", isShown: true },
  screening: { field: "screening", isShown: false },
  variant: { field: "variant", isShown: true },
  sso: { field: "sso", isShown: false },
  notices: { field: "notices", isShown: false },
} as const satisfies Partial<Record<keyof Project, { field: string; isShown: boolean }>>;

function describeChange(before: Project, after: Project): Changes {
  const columns = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const changed = columns.filter((column) => !isDeepStrictEqual(before[column], after[column]));
  return Object.fromEntries(
    changed.map((column) => {
      const { field, isShown } = FIELDS[column];
      return [field, isShown ? { before: before[column], after: after[column] } : {}];
    }),
  );
}
