// Notices of what waits for a person, to addresses that a project names. A target is told of each need once, of several
// needs together, and at most every hour: a process claims its turn for that long before it sends, so that of several
// replicas one does. Needs are noted after the target took the message, so that none is missed.
import { randomUUIDv7 } from "node:crypto";
import type { Egress } from "@pay/egress";
import { every, type Job, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import * as sql from "../generated/sql.ts";
import { getMode, type KeyMode } from "../keys/caller.ts";
import type { DashboardSite } from "../members/cookie.ts";
import type { MemberMails } from "../members/mails.ts";
import { listNeeds } from "../needs/list-needs.ts";
import { SOURCES } from "../needs/sources.ts";
import { findStates, getSubject } from "../needs/states.ts";
import { findProject, type Notice, type Project } from "../projects/storage.ts";
import type { ConnectedServices } from "../services/services.ts";
import { getTarget } from "./targets.ts";
import { describeNeeds, type Open } from "./words.ts";

const INTERVAL_MS = 60_000;
const TURN_MS = 60 * 60_000;
/** Where nothing was to be told. */
const IDLE_MS = 60_000;
/** After a message that was not taken. */
const RETRY_MS = 5 * 60_000;
const TIMEOUT_MS = 5_000;
const NEEDS_MAX = 100;
/** The batch of the statement. */
const CLAIMED_ROWS = 10;
const MODES: readonly KeyMode[] = ["live", "test"];

export interface NoticeParts {
  pool: Pool;
  prisma: PrismaClient;
  bindServices: ConnectedServices["bindServices"];
  egress: Pick<Egress, "post">;
  memberMails: Pick<MemberMails, "send"> | undefined;
  dashboard: Pick<DashboardSite, "origin">;
  runtime: Runtime;
}

type Turn = Pick<sql.ClaimNoticeTurnsRow, "project_id" | "target" | "is_member">;

export function startNotices(parts: NoticeParts): Job {
  const { pool, prisma, runtime } = parts;
  const { clock, log } = runtime;

  async function take(turn: Turn): Promise<void> {
    const project = await findProject(prisma, turn.project_id);
    const notice = project?.notices?.find((one) => getTarget(one) === turn.target);
    if (project === undefined || notice === undefined) return;
    const open = await listOpen(parts, notice, project.id);
    const isTold = open.length === 0 || (await send(parts, turn, { project, notice, open }));
    const place = { projectId: project.id, target: turn.target };
    const now = clock.now();
    if (open.length > 0 && isTold) {
      const rows = open.map((need) => ({ ...need, subject: getSubject(need) }));
      const told = rows.map(({ mode, id, subject }) => ({ mode, need_id: id, subject }));
      await sql.insertToldNeeds(pool, { ...place, told, now });
      return;
    }
    const pauseMs = isTold ? IDLE_MS : RETRY_MS;
    await sql.returnNoticeTurn(pool, { ...place, dueAt: new Date(now.getTime() + pauseMs) });
  }

  const job = every({
    name: "notices",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const now = clock.now();
      const nextAt = new Date(now.getTime() + TURN_MS);
      const turns = await sql.claimNoticeTurns(pool, { now, nextAt });
      // Together, so that one target keeps no other from its turn.
      const taken = turns.map((turn) =>
        take(turn).catch((error: unknown) =>
          log.error({ err: error, projectId: turn.project_id }, "a notice failed"),
        ),
      );
      await Promise.all(taken);
      if (turns.length === CLAIMED_ROWS) job.wake();
    },
  });
  return job;
}

/** What nobody has taken or done, and this target was not told of. */
async function listOpen(
  { pool, bindServices }: NoticeParts,
  notice: Notice,
  projectId: string,
): Promise<Open[]> {
  const target = getTarget(notice);
  const wanted = new Set<string>(notice.kinds);
  const lists = MODES.map(async (mode) => {
    const told = new Set<string>();
    const { needs } = await listNeeds({
      services: bindServices({
        tenant: { projectId, mode: getMode(mode) },
        requestId: randomUUIDv7(),
      }),
      sources: SOURCES.filter(
        ({ kinds }) => wanted.size === 0 || kinds.some((kind) => wanted.has(kind)),
      ),
      position: {},
      limit: NEEDS_MAX,
      isWanted: (need) =>
        (wanted.size === 0 || wanted.has(need.kind)) &&
        need.state.doneAt === null &&
        need.state.takenBy === null &&
        !told.has(`${need.id} ${getSubject(need)}`),
      findStates: async (listed) => {
        const ids = listed.map(({ id }) => id);
        const rows = await sql.findToldNeeds(pool, { projectId, target, mode, ids });
        for (const { need_id, subject } of rows) told.add(`${need_id} ${subject}`);
        return findStates(pool, { projectId, mode }, listed);
      },
    });
    return needs.map((need) => ({ ...need, mode }));
  });
  return (await Promise.all(lists)).flat();
}

/** Whether the target took the message. */
async function send(
  { memberMails, egress, dashboard: { origin } }: NoticeParts,
  { is_member }: Turn,
  { project, notice, open }: { project: Project; notice: Notice; open: readonly Open[] },
): Promise<boolean> {
  const { text, subject, page } = describeNeeds(project, open, origin);
  if (notice.email !== undefined) {
    // Who has left the project gets nothing more.
    if (memberMails === undefined || !is_member) return false;
    return memberMails.send({ to: notice.email, subject, text });
  }
  const needs = open.map(({ id, kind, mode, at }) => ({ id, kind, mode, at }));
  const answer = await egress.post({
    url: notice.url ?? "",
    headers: ["content-type", "application/json", "user-agent", "pay-notices"],
    body: Buffer.from(JSON.stringify({ projectId: project.id, text: subject, page, needs })),
    timeoutMs: TIMEOUT_MS,
  });
  return answer.fault === undefined && answer.statusCode >= 200 && answer.statusCode < 300;
}
