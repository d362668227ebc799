import { Failure } from "@pay/failures";
import { z } from "zod";
import { SCOPES } from "../../keys/caller.ts";
import {
  changeMember,
  inviteMember,
  listMembers,
  readOwnRoles,
  removeMember,
  saveRole,
} from "../../members/directory.ts";
import { BUILT_IN_ROLES, ROLE_NAME } from "../../members/roles.ts";
import { route } from "../../pipeline/route.ts";
import { IDS } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import { deleted } from "../field-values.ts";
import * as field from "../fields.ts";
import { checkCurrencies, refundLimits } from "./refund-limits.ts";
import { memberItem, memberList, renderMember, renderRole, roleItem } from "./response.ts";

const MEMBER = { prefix: "mem", noun: "Member" } as const;

function roleField(mode: string) {
  const rule = buildRule("be the name of a role, or null");
  return z.string(rule).regex(ROLE_NAME, rule).describe(`Role in ${mode} mode.`);
}

const invitation = z.object({
  email: field
    .email()
    .overwrite((email) => email.toLowerCase())
    .describe("E-mail address."),
  liveRole: roleField("live").optional(),
  testRole: roleField("test").optional(),
  refundLimits,
});
const roleChange = z.object({
  liveRole: roleField("live").nullable().optional().describe("Role in live mode."),
  testRole: roleField("test").nullable().optional().describe("Role in test mode."),
  refundLimits,
});
const scopesRule = buildRule(`be an array of ${SCOPES.join(", ")}`);
const roleScopes = z.object({
  scopes: field
    .listUpTo(SCOPES.length, z.enum(SCOPES, scopesRule), scopesRule)
    .transform((scopes) => [...new Set(scopes)])
    .meta({ openapi: { type: "array", items: { type: "string" } } })
    .describe("Scopes of the role, in each mode in which a member has it."),
});

const members = { auth: "secret", tag: "Members", limit: "standard" } as const;
const writing = {
  ...members,
  scope: "members:write",
  confirmed: true,
  audit: { ofKeys: true, own: true },
} as const;

export const listMembersRoute = route({
  ...members,
  scope: "members:read",
  success: 200,
  summary: "List the members, open invitations and roles of the project",
  response: memberList,
  handle: async ({ caller: { projectId } }, { pool }) => {
    const [rows, own] = await Promise.all([
      listMembers(pool, projectId),
      readOwnRoles(pool, projectId),
    ]);
    const roles = [...BUILT_IN_ROLES, ...own.keys()].map((name) => renderRole(name, own));
    return { data: rows.map(renderMember), roles };
  },
});

export const inviteMemberRoute = route({
  ...writing,
  summary: "Invite a person by a link, returned once and mailed where there is a mail server",
  example: {
    request: { email: "jonas@shop.example", liveRole: "support", testRole: "support" },
    response: { name: null, expiresAt: "2026-02-03T12:00:00.000Z" },
  },
  body: invitation,
  response: memberItem,
  success: 201,
  failures: ["live_key_required", "member_exists", "members_exhausted", "chain_unsupported"],
  handle: async (call, deps) => {
    const { email, liveRole = null, testRole = null, refundLimits: limits = [] } = call.body;
    await checkCurrencies(deps, limits);
    const invited = { email, liveRole, testRole, refundLimits: limits };
    return renderMember(await inviteMember(deps, call, invited));
  },
});

export const changeMemberRoute = route({
  ...writing,
  id: MEMBER,
  summary: "Change what a member or an invited person may do; absent fields stay",
  example: { request: { liveRole: "support" } },
  body: roleChange,
  response: memberItem,
  success: 200,
  failures: ["live_key_required", "member_last_owner", "chain_unsupported"],
  handle: async (call, deps) => {
    await checkCurrencies(deps, call.body.refundLimits);
    return renderMember(await changeMember(deps, call, call.params.id, call.body));
  },
});

export const removeMemberRoute = route({
  ...writing,
  id: MEMBER,
  summary: "Remove a member, or withdraw an invitation",
  example: { response: { id: IDS.mem } },
  response: deleted,
  success: 200,
  failures: ["live_key_required", "member_last_owner"],
  handle: async (call, deps) => {
    await removeMember(deps, call, call.params.id);
    return { deleted: true, id: call.params.id };
  },
});

function checkName(name: string): string {
  if (ROLE_NAME.test(name)) return name;
  throw new Failure(
    "field_invalid",
    "name must be 1 to 40 lowercase letters, digits and hyphens, a letter first",
  );
}

export const saveRoleRoute = route({
  ...writing,
  summary: "Create a role of the project, change its scopes, or delete it by an empty list",
  example: { request: { scopes: ["payments:read", "refunds:write"] } },
  body: roleScopes,
  response: roleItem,
  success: 200,
  failures: ["live_key_required", "members_exhausted", "role_in_use"],
  handle: async (call, deps) => {
    const name = checkName(call.params.name);
    await saveRole(deps, call, name, call.body.scopes);
    return renderRole(name, new Map([[name, call.body.scopes]]));
  },
});
