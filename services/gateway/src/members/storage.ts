// Members, what they may do, their links and their sign-ins. Links and sign-ins are stored as digests.
import type { Queryable } from "@pay/database";
import { newSecret } from "@pay/values";
import type { PrismaClient } from "../generated/prisma/client.ts";
import * as sql from "../generated/sql.ts";
import type { KeyMode, MemberCaller, Scopes } from "../keys/caller.ts";
import { byDigests, listDigests, toDigest } from "../keys/digest.ts";
import type { Pepper, Peppers } from "../keys/pepper.ts";
import { getRoleScopes, type OwnRoles } from "./roles.ts";

const LINK_PREFIX = "link_";
const LINK_FORM = /^link_[0-9A-Za-z]{43}$/;
const LINK_MS = 15 * 60_000;
/** More than a person can choose from. */
const MEMBERSHIPS_MAX = 200;
/** As many as a sentence can name. */
const OWNERS_MAX = 3;

export interface MemberSession {
  digest: Buffer;
  memberId: string;
  email: string;
  name: string;
  method: "link" | "passkey" | "recovery" | "oidc";
  createdAt: Date;
  seenAt: Date;
  confirmedAt: Date | null;
}

/** What a member may do in a project, by mode, and what requests must know of the project. */
export type Membership = { scopes: Readonly<Record<KeyMode, Scopes>> } & Pick<
  MemberCaller,
  | "refundLimits"
  | "allowedOrigins"
  | "paymentLifetimeMinutes"
  | "unnamedTransfers"
  | "depositAddresses"
  | "wallets"
  | "variant"
  | "version"
>;

/** For each list of digests the sign-in with one of them that is not ended. */
export async function findMemberSessions(
  db: Queryable,
  wanted: Buffer[][],
): Promise<(MemberSession | undefined)[]> {
  const rows = await sql.findMemberSessions(db, { digests: wanted.flat() });
  return byDigests(rows, wanted).map(
    (row) =>
      row && {
        digest: row.digest,
        memberId: row.member_id,
        email: row.email,
        name: row.name,
        method: row.method,
        createdAt: row.created_at,
        seenAt: row.seen_at,
        confirmedAt: row.confirmed_at,
      },
  );
}

export async function findMembership(
  db: Queryable,
  of: { projectId: string; memberId: string },
): Promise<Membership | undefined> {
  const [row] = await sql.findMembership(db, of);
  return (
    row && {
      scopes: {
        live: getRoleScopes(row.live_role, "live", ownRole(row.live_role, row.live_scopes)),
        test: getRoleScopes(row.test_role, "test", ownRole(row.test_role, row.test_scopes)),
      },
      refundLimits: row.refund_limits,
      allowedOrigins: row.allowed_origins,
      paymentLifetimeMinutes: row.payment_lifetime_minutes,
      unnamedTransfers: row.unnamed_transfers,
      depositAddresses: row.deposit_addresses,
      wallets: row.wallets,
      variant: row.variant,
      version: row.version,
    }
  );
}

function ownRole(name: string | null, scopes: string[] | null): OwnRoles {
  return new Map(name === null || scopes === null ? [] : [[name, scopes]]);
}

export function listMemberships(prisma: PrismaClient, memberId: string) {
  return prisma.membership.findMany({
    where: { member_id: memberId },
    select: {
      project_id: true,
      live_role: true,
      test_role: true,
      refund_limits: true,
      project: {
        select: {
          name: true,
          roles: { select: { name: true, scopes: true } },
          memberships: {
            where: { live_role: "owner", member: { disabled_at: null } },
            select: { member: { select: { name: true } } },
            orderBy: { created_at: "asc" },
            take: OWNERS_MAX,
          },
        },
      },
    },
    orderBy: [{ project: { name: "asc" } }, { project_id: "asc" }],
    take: MEMBERSHIPS_MAX,
  });
}

/** The token of a link that signs the member in, once, within a quarter of an hour. */
export async function createLink(
  db: Queryable,
  link: { memberId: string; madeBy: string; pepper: Pepper; now: Date },
): Promise<string> {
  const token = newSecret(LINK_PREFIX);
  const { memberId, madeBy, pepper, now } = link;
  const digest = toDigest(token, pepper);
  const expiresAt = new Date(now.getTime() + LINK_MS);
  await sql.insertLink(db, { digest, memberId, madeBy, now, expiresAt });
  return token;
}

export interface OpenedLink {
  token: string;
  /** Of the member whose passkey is lost; undefined for one who had none. */
  recovered: { memberId: string; name: string; email: string } | undefined;
}

/** The sign-in that the link opens; undefined where it opens nothing. */
export async function signInByLink(
  db: Queryable,
  link: string,
  {
    peppers,
    prefix,
    now,
    agent,
  }: { peppers: Peppers; prefix: string; now: Date; agent: string | null },
): Promise<OpenedLink | undefined> {
  if (!LINK_FORM.test(link)) return undefined;
  const token = newSecret(prefix);
  const digest = toDigest(token, peppers[0]);
  const [opened] = await sql.signInByLink(db, {
    linkDigests: listDigests(link, peppers),
    digest,
    now,
    agent,
  });
  if (opened === undefined) return undefined;
  const { member_id: memberId, name, email, has_passkey } = opened;
  return { token, recovered: has_passkey ? { memberId, name, email } : undefined };
}

export async function endMemberSession(
  prisma: PrismaClient,
  digest: Buffer,
  now: Date,
): Promise<void> {
  await prisma.memberSession.updateMany({
    where: { digest: new Uint8Array(digest), ended_at: null },
    data: { ended_at: now },
  });
}
