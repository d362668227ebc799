// The operator's commands for the dashboard: the first owner of a project, and a link that signs a member in. They
// work beside a running product, on its database.
import { openDatabase, transaction } from "@pay/database";
import { CommandFault, readRunFile } from "@pay/process";
import { isId, newId } from "@pay/values";
import type { ClientBase, Pool } from "pg";
import { z } from "zod";
import { insertOperatorEntry } from "../audit/entries.ts";
import { PrismaClient } from "../generated/prisma/client.ts";
import { saveOwner } from "../generated/sql.ts";
import { OPERATOR } from "../keys/storage.ts";
import { findOwnUrl, toDashboardOrigin } from "../members/cookie.ts";
import { OWNER } from "../members/roles.ts";
import { createLink, listMemberships } from "../members/storage.ts";
import {
  currentPepper,
  type Env,
  type Output,
  readOptions,
  runCommand,
  withLife,
} from "./command.ts";

const BOOTSTRAP_USAGE =
  "usage: npm run members:bootstrap -- --email EMAIL [--name NAME] [--project ID] [--json]";
const LINK_USAGE = "usage: npm run dashboard:link [-- --email EMAIL] [--json]";
const VARIABLES = "GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER and PUBLIC_URL";
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const NAME_LENGTH_MAX = 100;

const runFile = z.object({
  baseUrl: z.url(),
  gatewayDatabaseUrl: z.string(),
  gatewayKeyPepper: z.string(),
});
type Surroundings = z.infer<typeof runFile>;

interface Parts {
  prisma: PrismaClient;
  pool: Pool;
  /** The address of a new link for the member. */
  link(tx: ClientBase, memberId: string): Promise<string>;
  now: Date;
}

/** Makes a member an owner of the project, and a link for the member. The exit code. */
export function runBootstrap(args: string[], env: Env, output: Output): Promise<number> {
  return runCommand(
    { name: "members:bootstrap", output, failed: "the member could not be made" },
    async () => {
      const { project, email, name, json } = readBootstrap(args);
      const owner = { email, name, projectId: project };
      return { result: await createOwnerLink(makeSurroundings(env), owner), json };
    },
  );
}

/** A new link for a member. The exit code. */
export function runDashboardLink(args: string[], env: Env, output: Output): Promise<number> {
  return runCommand(
    { name: "dashboard:link", output, failed: "the link could not be made" },
    async () => {
      const options = { email: { type: "string" }, json: { type: "boolean" } } as const;
      const { email, json = false } = readOptions(args, options, LINK_USAGE);
      const wanted = email && readEmail(email, LINK_USAGE);
      return { result: { dashboard: await linkMember(makeSurroundings(env), wanted) }, json };
    },
  );
}

export function createOwnerLink(
  from: Surroundings,
  owner: { email: string; name: string; projectId: string | undefined },
): Promise<{ memberId: string; projectId: string; dashboard: string }> {
  return withParts(from, async ({ prisma, pool, link, now }) => {
    const projectId = await findProjectId(prisma, owner.projectId);
    const { email, name } = owner;
    const saved = {
      id: newId("mem"),
      email,
      name,
      projectId,
      role: OWNER,
      invitedBy: OPERATOR,
      now,
    };
    const entry = {
      projectId,
      action: "members.bootstrap",
      changes: { liveRole: { after: OWNER }, testRole: { after: OWNER } },
    };
    return transaction(pool, async (tx) => {
      const [row] = await saveOwner(tx, saved);
      const memberId = row?.member_id ?? "";
      await insertOperatorEntry(tx, { ...entry, targetId: memberId }, now);
      return { memberId, projectId, dashboard: await link(tx, memberId) };
    });
  });
}

/** The link opens all projects of the member, so each of them has an entry. */
function linkMember(from: Surroundings, email: string | undefined): Promise<string> {
  return withParts(from, async ({ prisma, pool, link, now }) => {
    const memberId = await findMember(prisma, email);
    const memberships = await listMemberships(prisma, memberId);
    return transaction(pool, async (tx) => {
      for (const { project_id: projectId } of memberships) {
        const entry = { projectId, action: "members.link", targetId: memberId, changes: {} };
        await insertOperatorEntry(tx, entry, now);
      }
      return link(tx, memberId);
    });
  });
}

function readBootstrap(args: string[]) {
  const options = {
    email: { type: "string" },
    name: { type: "string" },
    project: { type: "string" },
    json: { type: "boolean" },
  } as const;
  const values = readOptions(args, options, BOOTSTRAP_USAGE);
  const email = readEmail(values.email ?? "", BOOTSTRAP_USAGE);
  const name = (values.name ?? email).normalize("NFC").trim();
  if (name === "" || [...name].length > NAME_LENGTH_MAX) {
    throw new CommandFault(`--name must be 1 to ${NAME_LENGTH_MAX} characters; ${BOOTSTRAP_USAGE}`);
  }
  const { project, json = false } = values;
  if (project !== undefined && !isId("proj", project)) {
    throw new CommandFault(`--project must be an id; ${BOOTSTRAP_USAGE}`);
  }
  return { email, name, project, json };
}

function readEmail(text: string, usage: string): string {
  const email = text.trim().toLowerCase();
  if (EMAIL.test(email)) return email;
  throw new CommandFault(`--email must be an e-mail address; ${usage}`);
}

function makeSurroundings(env: Env): Surroundings {
  const { GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER, PUBLIC_URL, DASHBOARD } = env;
  if (GATEWAY_DATABASE_URL && GATEWAY_KEY_PEPPER && PUBLIC_URL) {
    return {
      baseUrl: findOwnUrl(DASHBOARD) ?? PUBLIC_URL,
      gatewayDatabaseUrl: GATEWAY_DATABASE_URL,
      gatewayKeyPepper: GATEWAY_KEY_PEPPER,
    };
  }
  return readRunFile(env, runFile, VARIABLES);
}

function withParts<T>(from: Surroundings, act: (parts: Parts) => Promise<T>): Promise<T> {
  return withLife(undefined, async (life) => {
    const { adapter, pool } = openDatabase({
      url: from.gatewayDatabaseUrl,
      poolMax: 1,
      runtime: life,
      applicationName: "members",
    });
    const prisma = new PrismaClient({ adapter });
    const pepper = currentPepper(from.gatewayKeyPepper);
    const now = life.clock.now();
    async function link(tx: ClientBase, memberId: string) {
      const token = await createLink(tx, { memberId, madeBy: OPERATOR, pepper, now });
      return `${toDashboardOrigin(from.baseUrl)}/dashboard/link/${token}`;
    }

    return act({ prisma, pool, link, now });
  });
}

async function findProjectId(prisma: PrismaClient, id: string | undefined): Promise<string> {
  const projects = await prisma.project.findMany({
    where: id === undefined ? {} : { id },
    select: { id: true },
    take: 2,
  });
  const [first, second] = projects;
  if (first === undefined) throw new CommandFault(`there is no project ${id ?? "yet"}`);
  if (second !== undefined) {
    throw new CommandFault(`there are several projects; name one with --project`);
  }
  return first.id;
}

async function findMember(prisma: PrismaClient, email: string | undefined): Promise<string> {
  const members = await prisma.member.findMany({
    where: { disabled_at: null, ...(email && { email }) },
    select: { id: true },
    take: 2,
  });
  const [first, second] = members;
  if (first === undefined) throw new CommandFault(`there is no member ${email ?? "yet"}`);
  if (second !== undefined) throw new CommandFault("there are several members; add --email");
  return first.id;
}
