import { z } from "zod";
import { type KeyMode, SCOPES } from "../../keys/caller.ts";
import type { Member } from "../../members/directory.ts";
import { getRoleScopes, isBuiltIn, type OwnRoles } from "../../members/roles.ts";
import { IDS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";
import { refundLimitList } from "./refund-limits.ts";

const FIELDS = {
  id: { schema: shown.id("mem"), of: (member: Member) => member.id },
  email: {
    schema: shown.string("E-mail address.", "jonas@shop.example"),
    of: (member: Member) => member.email,
  },
  name: {
    schema: shown.stringOrNull("Name; null before the invitation is accepted.", "Jonas Berg"),
    of: (member: Member) => member.name,
  },
  liveRole: {
    schema: shown.stringOrNull("Role in live mode; null for none.", "support"),
    of: (member: Member) => member.live_role,
  },
  testRole: {
    schema: shown.stringOrNull("Role in test mode; null for none.", "support"),
    of: (member: Member) => member.test_role,
  },
  refundLimits: {
    schema: refundLimitList.describe(
      "What the member may refund although the role may not, to wallets that paid.",
    ),
    of: (member: Member) => member.refund_limits,
  },
  invitedBy: {
    schema: shown.string("Id of the member or key that invited, or `operator`.", IDS.mem),
    of: (member: Member) => member.invited_by,
  },
  createdAt: {
    schema: shown.createdAt,
    of: (member: Member) => shown.storedTime(member.created_at),
  },
  expiresAt: {
    schema: shown.timeOrNull("Time until which the invitation can be accepted; null for a member."),
    of: (member: Member) => shown.storedTime(member.expires_at),
  },
  hasPasskey: {
    schema: shown.boolean("Whether the member has a passkey."),
    of: (member: Member) => member.has_passkey,
  },
  lastSeenAt: {
    schema: shown.timeOrNull("Time of the last use of the dashboard; null before it."),
    of: (member: Member) => shown.storedTime(member.seen_at),
  },
  mailedAt: {
    schema: shown.timeOrNull("Time at which the mail server took the link; null where it did not."),
    of: (member: Member) => shown.storedTime(member.mailed_at),
  },
  link: {
    schema: shown.stringOrNull("Link of a new invitation, returned once; null otherwise."),
    of: (member: Member & { link?: string }) => member.link ?? null,
  },
};

const NAMES = listNames(FIELDS);

export function renderMember(member: Member & { link?: string }) {
  return pick(FIELDS, NAMES, member);
}

export const memberItem = buildShape("Member", FIELDS, NAMES);
export const roleItem = z
  .strictObject({
    name: shown.string("Name of the role.", "returns-desk"),
    builtIn: shown.boolean("Whether every project has the role."),
    liveScopes: shown.strings("Scopes in live mode.", ["payments:read"]),
    testScopes: shown.strings("Scopes in test mode.", ["payments:read"]),
  })
  .meta({ id: "Role" });
export const memberList = z
  .strictObject({
    data: z.array(memberItem).describe("Members and open invitations, oldest first."),
    roles: z.array(roleItem).describe("Built-in roles, then those of the project."),
  })
  .meta({ id: "MemberList" });

export function renderRole(name: string, own: OwnRoles): z.output<typeof roleItem> {
  function list(mode: KeyMode): string[] {
    const scopes = getRoleScopes(name, mode, own);
    return scopes === "all" ? [...SCOPES] : [...scopes];
  }

  return { name, builtIn: isBuiltIn(name), liveScopes: list("live"), testScopes: list("test") };
}
