// From the cookie of a sign-in to its member, and from there to the caller that the member is in a project. Records
// are cached for as long as those of keys, so a removed member or an ended sign-in stops working as fast as a revoked
// key. Unknown cookies have a cache of their own.
import type { IncomingHttpHeaders } from "node:http";
import { createBatcher } from "@pay/batching";
import { Failure } from "@pay/failures";
import type { Clock } from "@pay/process";
import { isId } from "@pay/values";
import { LRUCache } from "lru-cache";
import type { KeyMode, MemberCaller } from "../keys/caller.ts";
import { bears, listDigests } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { rejectKey } from "../keys/reject-key.ts";
import type { MemberSession, Membership } from "./storage.ts";

const TOKEN_FORM = /^dash_[0-9A-Za-z]{43}$/;
export const SESSION_PREFIX = "dash_";
export const SESSION_MAX_MS = 12 * 60 * 60_000;
const IDLE_MAX_MS = 30 * 60_000;
/** Uses are recorded to the minute. */
const SEEN_MS = 60_000;
const CONFIRMED_MS = 10 * 60_000;

function isConfirmed({ confirmedAt }: MemberSession, now: Date): boolean {
  return confirmedAt !== null && now.getTime() - confirmedAt.getTime() < CONFIRMED_MS;
}

/**
 * Whether the member was there a moment ago, by a passkey, a recovery code or a link made for this member. An identity
 * provider may have signed in whoever sits before an open browser, unless it was told to ask anew.
 */
export function isFresh(session: MemberSession, now: Date): boolean {
  const isOfMoment = session.method === "link" || session.method === "recovery";
  const isNew = isOfMoment && now.getTime() - session.createdAt.getTime() < CONFIRMED_MS;
  return isNew || isConfirmed(session, now);
}

/** A sign-in that is valid now. */
export interface SignIn {
  session: MemberSession;
  /** Whether a passkey has to be added before anything else opens. */
  needsPasskey: boolean;
}

export interface SignIns {
  /** Throws where the cookie opens nothing. */
  find(token: string): Promise<SignIn>;
  /** The member as the caller in the project and mode that the headers name. */
  admit(token: string, headers: IncomingHttpHeaders): Promise<MemberCaller>;
  /** Removes a member's records from the cache, and keeps look-ups under way out of it. */
  forgetMember(memberId: string): void;
  forgetProject(projectId: string): void;
}

export interface SignInParts {
  findSessions(wanted: Buffer[][]): Promise<(MemberSession | undefined)[]>;
  findMembership(of: { projectId: string; memberId: string }): Promise<Membership | undefined>;
  touch(digest: Buffer, now: Date): Promise<unknown>;
  peppers: Peppers;
  clock: Clock;
  /** Whether a link is only a way to add a passkey. */
  requiresPasskey: boolean;
  cacheMs: number;
  cacheMax: number;
}

export function signInInvalid(): Failure {
  return new Failure("sign_in_invalid", "Sign-in is missing, ended or expired");
}

export function passkeyRequired(): Failure {
  return new Failure("passkey_required", "Add a passkey before anything else");
}

function refuseSignIn(reason: string): Failure {
  return rejectKey(reason, signInInvalid());
}

export function createSignIns(parts: SignInParts): SignIns {
  const { peppers, clock, touch } = parts;
  const bounds = { max: Math.max(1, parts.cacheMax), ttl: Math.max(1, parts.cacheMs) };
  const sessions = new LRUCache<string, MemberSession>(bounds);
  const unknown = new LRUCache<string, true>(bounds);
  const memberships = new LRUCache<string, Membership | "none">(bounds);
  const findSession = createBatcher(parts.findSessions);
  /** Counts what was forgotten: a look-up that was under way may have read what is not true any more. */
  let forgotten = 0;

  async function lookUp(token: string): Promise<MemberSession | undefined> {
    const digests = listDigests(token, peppers);
    const name = digests[0].toString("latin1");
    const remembered = sessions.get(name);
    if (remembered !== undefined || unknown.has(name)) return remembered;
    const forgottenBefore = forgotten;
    const session = await findSession(digests);
    if (session === undefined || !bears(session, digests)) {
      unknown.set(name, true);
      return undefined;
    }
    if (forgotten === forgottenBefore) sessions.set(name, session);
    return session;
  }

  async function find(token: string): Promise<SignIn> {
    if (!TOKEN_FORM.test(token)) throw refuseSignIn("sign_in_malformed");
    const session = await lookUp(token);
    if (session === undefined) throw refuseSignIn("sign_in_unknown");
    const now = clock.now();
    const seenAgoMs = now.getTime() - session.seenAt.getTime();
    if (now.getTime() - session.createdAt.getTime() >= SESSION_MAX_MS || seenAgoMs >= IDLE_MAX_MS) {
      throw refuseSignIn("sign_in_expired");
    }
    if (seenAgoMs >= SEEN_MS) {
      session.seenAt = now;
      await touch(session.digest, now);
    }
    const { method } = session;
    const needsPasskey = method === "recovery" || (parts.requiresPasskey && method === "link");
    return { session, needsPasskey };
  }

  async function findMembership(projectId: string, memberId: string) {
    const name = `${memberId} ${projectId}`;
    const remembered = memberships.get(name);
    if (remembered !== undefined) return remembered;
    const forgottenBefore = forgotten;
    const found = (await parts.findMembership({ projectId, memberId })) ?? "none";
    if (forgotten === forgottenBefore) memberships.set(name, found);
    return found;
  }

  return {
    find,
    admit: async (token, headers) => {
      const { session, needsPasskey } = await find(token);
      if (needsPasskey) throw passkeyRequired();
      const { projectId, mode } = readPlace(headers);
      const membership = await findMembership(projectId, session.memberId);
      if (membership === "none") throw new Failure("project_not_found", "Project not found");
      const { scopes, ...settings } = membership;
      const { memberId } = session;
      return {
        ...settings,
        type: "member",
        actor: memberId,
        projectId,
        mode,
        scopes: scopes[mode],
        isConfirmed: isConfirmed(session, clock.now()),
      };
    },
    forgetMember: (memberId) => {
      forgotten++;
      for (const [name, session] of sessions.entries()) {
        if (session.memberId === memberId) sessions.delete(name);
      }
      for (const name of memberships.keys()) {
        if (name.startsWith(`${memberId} `)) memberships.delete(name);
      }
    },
    forgetProject: (projectId) => {
      forgotten++;
      for (const name of memberships.keys()) {
        if (name.endsWith(` ${projectId}`)) memberships.delete(name);
      }
    },
  };
}

/** Another project is refused like one that does not exist. */
function readPlace(headers: IncomingHttpHeaders): { projectId: string; mode: KeyMode } {
  const projectId = headers["x-project"];
  const mode = headers["x-service-mode"];
  if (mode !== "live" && mode !== "test") {
    throw new Failure("field_invalid", "X-Service-Mode must be live or test");
  }
  if (typeof projectId !== "string") {
    throw new Failure("field_invalid", "X-Project must be the id of a project");
  }
  if (!isId("proj", projectId)) throw new Failure("project_not_found", "Project not found");
  return { projectId, mode };
}
