// Filters of the dashboard's lists under a name. A page opens only addresses of itself, and what is stored is no other.
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import { isId } from "@pay/values";
import type { Request, Response } from "express";
import type { PoolClient } from "pg";
import { z } from "zod";
import { buildRule } from "../api/field-rules.ts";
import * as field from "../api/fields.ts";
import { type Changes, insertEntry } from "../audit/entries.ts";
import * as sql from "../generated/sql.ts";
import { sendJson } from "../http/respond.ts";
import { checkScope, type MemberCaller, mayUse, type Scope } from "../keys/caller.ts";
import { type MemberRequests, type Needed, readFields, type Signed } from "./member-requests.ts";

const VIEWS = "/dashboard/views";
const VIEWS_MAX = 50;
/** Of who may change the project in live mode, because members see a shared view in both modes. */
const SHARING: Scope = "projects:write";

const addressRule = buildRule("be path and query of a list of the dashboard");
const viewName = field.name(80);
const savedView = z.object({
  name: viewName,
  address: z
    .string(addressRule)
    .max(2_000, addressRule)
    .regex(/^(\/[a-z-]+)+\?[\w*.+%&=-]+$/, addressRule),
  isShared: field.flag(),
});

export function mountSavedViews(
  { readSignIn, readWriter, mount }: MemberRequests,
  { pool, signIns, clock, stopping }: Needed,
): void {
  /** What all members see is the project's; names and addresses are of people. */
  async function record(
    tx: PoolClient,
    { projectId, actor }: MemberCaller,
    response: Response,
    change: { action: string; changes: Changes },
  ): Promise<void> {
    const { requestId } = response.locals;
    const entry = { projectId, mode: "live" as const, actor, targetId: null, address: null };
    const done = { now: clock.now(), statusCode: 204 };
    await insertEntry(tx, { ...entry, ...change, requestId: String(requestId) }, done);
  }

  function admit({ token }: Signed, { headers }: Request, mode?: "live") {
    return signIns.admit(token, { ...headers, ...(mode && { "x-service-mode": mode }) });
  }

  async function readMember(request: Request, signed: Signed): Promise<MemberCaller> {
    const member = await admit(signed, request);
    if (member.scopes !== "all" && member.scopes.size === 0) {
      throw new Failure("scope_missing", "Your role opens nothing");
    }
    return member;
  }

  mount("get", VIEWS, async (request, response) => {
    const { projectId, actor } = await readMember(request, await readSignIn(request));
    const rows = await sql.listViews(pool, { projectId, memberId: actor });
    const views = rows.map(({ member_id, name, address, is_shared }) => ({
      memberId: member_id,
      name,
      address,
      isShared: is_shared,
    }));
    sendJson(response, 200, { views }, stopping);
  });

  mount("put", VIEWS, async (request, response) => {
    const signed = await readWriter(request);
    const caller = await readMember(request, signed);
    const { projectId, actor } = caller;
    const view = await readFields(request, savedView);
    if (view.isShared) checkScope(await admit(signed, request, "live"), SHARING);
    await transaction(pool, async (tx) => {
      await sql.lockProject(tx, { projectId });
      const place = { projectId, memberId: actor, viewsMax: VIEWS_MAX };
      const [saved] = await sql.saveView(tx, { ...place, ...view });
      if (saved === undefined) {
        throw new Failure(
          "members_exhausted",
          `A member has at most ${VIEWS_MAX} views in a project`,
        );
      }
      if (!view.isShared) return;
      await record(tx, caller, response, {
        action: "views.share",
        changes: { isShared: { after: true } },
      });
    });
    response.status(204).end();
  });

  mount("delete", `${VIEWS}/:member/:name`, async (request, response) => {
    const signed = await readWriter(request);
    const caller = await readMember(request, signed);
    const { projectId, actor } = caller;
    const { member, name } = request.params;
    const mayShare = mayUse(await admit(signed, request, "live"), SHARING);
    const isOne = isId("mem", String(member)) && viewName.safeParse(name).data === name;
    if (!isOne) throw new Failure("not_found", "View not found");
    const place = { projectId, memberId: String(member), name: String(name) };
    await transaction(pool, async (tx) => {
      const [removed] = await sql.removeView(tx, { ...place, callerId: actor, mayShare });
      if (removed === undefined) throw new Failure("not_found", "View not found");
      if (!removed.is_shared) return;
      await record(tx, caller, response, {
        action: "views.delete",
        changes: { isShared: { before: true } },
      });
    });
    response.status(204).end();
  });
}
