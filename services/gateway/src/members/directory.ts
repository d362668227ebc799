// The members of a project, its invitations and its own roles. Each change locks the project, so that the last owner
// stays one, and nobody gives, changes or takes what is beyond the own rights.
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import { newId, newSecret } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import * as sql from "../generated/sql.ts";
import { writeOnce } from "../idempotency/own-write.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import type { Authenticator } from "../keys/authenticate.ts";
import { type Caller, mayUse, type RefundLimit, type Scopes } from "../keys/caller.ts";
import { toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import type { Call } from "../pipeline/route.ts";
import { INVITATION_PREFIX } from "./invitations.ts";
import type { MemberMails } from "./mails.ts";
import {
  findScopeBeyond,
  getRoleScopes,
  isBuiltIn,
  isRole,
  OWNER,
  type OwnRoles,
} from "./roles.ts";

const INVITATION_MS = 3 * 24 * 60 * 60_000;
/** Members and invitations together; the statement that lists them has the same limit. */
const MEMBERS_MAX = 200;
const ROLES_MAX = 50;

export type Member = sql.ListMembersRow & { refund_limits: RefundLimit[] };
export type RolePair = { liveRole: string | null; testRole: string | null };
/** What a member may do. */
export type Rights = RolePair & { refundLimits: RefundLimit[] };
/** What is to be otherwise. */
type Change = { [Field in keyof Rights]?: Rights[Field] | undefined };

interface Needed {
  pool: Pool;
  clock: Clock;
  peppers: Peppers;
  sealedResponses: SealedResponses;
  authenticator: Pick<Authenticator, "forget">;
  dashboard: { origin: string | undefined };
  memberMails: Pick<MemberMails, "sendInvitation"> | undefined;
}

type ChangeCall = Pick<Call, "caller" | "audit">;

interface Locked {
  members: Member[];
  own: OwnRoles;
}

export async function listMembers(db: Pool | PoolClient, projectId: string): Promise<Member[]> {
  return (await sql.listMembers(db, { projectId })) as Member[];
}

export async function readOwnRoles(db: Pool | PoolClient, projectId: string): Promise<OwnRoles> {
  const rows = await sql.listRoles(db, { projectId });
  return new Map(rows.map(({ name, scopes }) => [name, scopes]));
}

async function lock(tx: PoolClient, projectId: string): Promise<Locked> {
  await sql.lockProject(tx, { projectId });
  const members = await listMembers(tx, projectId);
  return { members, own: await readOwnRoles(tx, projectId) };
}

/** Who may give rights in live mode may give those in test mode, too, and not the other way round. */
function checkMode({ mode }: Caller, { liveRole = null, refundLimits = [] }: Change): void {
  if (mode === "live" || (liveRole === null && refundLimits.length === 0)) return;
  throw new Failure("live_key_required", "Rights in live mode can only be changed in live mode");
}

function checkScopes({ scopes }: Caller, role: string, given: Scopes): void {
  const beyond = findScopeBeyond(scopes, given);
  if (beyond === undefined) return;
  throw new Failure("scope_missing", `You lack the scope ${beyond}, which the role ${role} has`);
}

function checkGiven(caller: Caller, rights: Rights, own: OwnRoles): void {
  const { liveRole, testRole, refundLimits } = rights;
  if (liveRole !== null) checkScopes(caller, liveRole, getRoleScopes(liveRole, "live", own));
  if (testRole !== null) checkScopes(caller, testRole, getRoleScopes(testRole, "test", own));
  if (refundLimits.length > 0 && !mayUse(caller, "refunds:write")) {
    throw new Failure("scope_missing", "You lack the scope refunds:write, which refundLimits give");
  }
}

function checkNames({ liveRole, testRole }: RolePair, own: OwnRoles): void {
  for (const [field, name] of Object.entries({ liveRole, testRole })) {
    if (name === null || isRole(name, own)) continue;
    throw new Failure("field_invalid", `${field} must be the name of a role, or null`);
  }
}

function toRights({ live_role, test_role, refund_limits }: Member): Rights {
  return { liveRole: live_role, testRole: test_role, refundLimits: refund_limits };
}

const NO_RIGHTS: Rights = { liveRole: null, testRole: null, refundLimits: [] };

function describeRights(before: Rights, after: Rights) {
  return {
    liveRole: { before: before.liveRole, after: after.liveRole },
    testRole: { before: before.testRole, after: after.testRole },
    refundLimits: { before: before.refundLimits, after: after.refundLimits },
  };
}

/** An invitation in place of an older one of the same address. Its link is returned once, also where it was mailed. */
export async function inviteMember(
  deps: Needed,
  call: Call,
  invited: Rights & { email: string },
): Promise<Member & { link: string }> {
  const { projectId } = call.caller;
  checkMode(call.caller, invited);
  let digest: Buffer | undefined;
  const invitation = await writeOnce(deps, call, async (tx) => {
    const made = await createInvitation(deps, tx, call, invited);
    digest = made.digest;
    return made.invitation;
  });
  const { id, link } = invitation;
  // A repeated request mails nothing.
  if (digest === undefined) {
    const [stored] = await sql.findInvitationMailed(deps.pool, { projectId, id });
    return { ...invitation, mailed_at: stored?.mailed_at ?? null };
  }
  const mailed_at = await deps.memberMails?.sendInvitation({ projectId, id, digest, link });
  return { ...invitation, mailed_at: mailed_at ?? null };
}

async function createInvitation(
  deps: Needed,
  tx: PoolClient,
  { caller, audit }: ChangeCall,
  { email, ...rights }: Rights & { email: string },
): Promise<{ digest: Buffer; invitation: Member & { link: string } }> {
  const { projectId } = caller;
  const { members, own } = await lock(tx, projectId);
  checkNames(rights, own);
  checkGiven(caller, rights, own);
  const known = members.find((member) => member.email === email);
  if (known?.has_passkey) {
    throw new Failure("member_exists", "This person is a member; change the roles instead");
  }
  if (known) checkTarget(caller, known, own);
  if (known === undefined && members.length >= MEMBERS_MAX) {
    throw new Failure("members_exhausted", `A project has at most ${MEMBERS_MAX} members`);
  }
  const token = newSecret(INVITATION_PREFIX);
  const id = newId("mem");
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + INVITATION_MS);
  const digest = toDigest(token, deps.peppers[0]);
  const invitedBy = caller.actor;
  await sql.saveInvitation(tx, {
    projectId,
    id,
    email,
    ...rights,
    digest,
    invitedBy,
    now,
    expiresAt,
  });
  const changes = describeRights(NO_RIGHTS, rights);
  await audit.record(tx, { targetId: id, changes });
  const invitation = {
    id,
    email,
    name: null,
    live_role: rights.liveRole,
    test_role: rights.testRole,
    refund_limits: rights.refundLimits,
    invited_by: invitedBy,
    created_at: now,
    expires_at: expiresAt,
    has_passkey: false,
    seen_at: null,
    mailed_at: null,
    link: `${deps.dashboard.origin ?? ""}/dashboard/invitation/${token}`,
  };
  return { digest, invitation };
}

/** The member or the invitation that a change is about, which it must not reach above the caller for. */
function findTarget(caller: Caller, { members, own }: Locked, id: string): Member {
  const target = members.find((member) => member.id === id);
  if (target === undefined) throw new Failure("member_not_found", "Member not found");
  checkTarget(caller, target, own);
  return target;
}

function checkTarget(caller: Caller, target: Member, own: OwnRoles): void {
  checkMode(caller, toRights(target));
  checkGiven(caller, toRights(target), own);
}

function isOwner({ live_role, expires_at }: Member): boolean {
  return live_role === OWNER && expires_at === null;
}

function checkOwnerStays(target: Member, { members }: Locked): void {
  if (!isOwner(target) || members.some((member) => member.id !== target.id && isOwner(member))) {
    return;
  }
  throw new Failure(
    "member_last_owner",
    "The last owner of a project stays; make another one first",
  );
}

export async function changeMember(
  deps: Needed,
  { caller, audit }: ChangeCall,
  id: string,
  change: Change,
): Promise<Member> {
  const { projectId } = caller;
  checkMode(caller, change);
  const changed = await transaction(deps.pool, async (tx) => {
    const locked = await lock(tx, projectId);
    const target = findTarget(caller, locked, id);
    const before = toRights(target);
    const { liveRole = before.liveRole, testRole = before.testRole } = change;
    const { refundLimits = before.refundLimits } = change;
    const after = { liveRole, testRole, refundLimits };
    checkNames(after, locked.own);
    checkGiven(caller, after, locked.own);
    if (liveRole !== OWNER) checkOwnerStays(target, locked);
    await sql.changeMember(tx, { projectId, id, ...after });
    await audit.record(tx, { targetId: id, changes: describeRights(before, after) });
    return { ...target, live_role: liveRole, test_role: testRole, refund_limits: refundLimits };
  });
  deps.authenticator.forget(projectId);
  return changed;
}

export async function removeMember(
  deps: Needed,
  { caller, audit }: ChangeCall,
  id: string,
): Promise<void> {
  const { projectId } = caller;
  await transaction(deps.pool, async (tx) => {
    const locked = await lock(tx, projectId);
    const target = findTarget(caller, locked, id);
    checkOwnerStays(target, locked);
    await sql.removeMember(tx, { projectId, id });
    const changes = describeRights(toRights(target), NO_RIGHTS);
    await audit.record(tx, { targetId: id, changes });
  });
  deps.authenticator.forget(projectId);
}

function hasRole({ live_role, test_role }: Member, name: string): boolean {
  return live_role === name || test_role === name;
}

/** Whoever has the role may do the scopes from then on, in the modes in which they have it. Without scopes it goes. */
export async function saveRole(
  deps: Needed,
  { caller, audit }: ChangeCall,
  name: string,
  scopes: readonly string[],
): Promise<void> {
  const { projectId } = caller;
  if (isBuiltIn(name)) {
    throw new Failure("field_invalid", `The role ${name} is built in; choose another name`);
  }
  await transaction(deps.pool, async (tx) => {
    const { members, own } = await lock(tx, projectId);
    const before = own.get(name);
    const holders = members.filter((member) => hasRole(member, name));
    for (const { live_role } of holders)
      if (live_role === name) checkMode(caller, { liveRole: name });
    checkScopes(caller, name, new Set([...(before ?? []), ...scopes]));
    if (before === undefined && own.size >= ROLES_MAX) {
      throw new Failure("members_exhausted", `A project has at most ${ROLES_MAX} roles of its own`);
    }
    if (scopes.length === 0 && holders.length > 0) {
      throw new Failure("role_in_use", "A member or an invitation has this role");
    }
    if (scopes.length === 0) await sql.removeRole(tx, { projectId, name });
    else await sql.saveRole(tx, { projectId, name, scopes, now: deps.clock.now() });
    await audit.record(tx, { targetId: name, changes: { scopes: { before, after: scopes } } });
  });
  deps.authenticator.forget(projectId);
}
