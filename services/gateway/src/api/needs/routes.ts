import { Failure } from "@pay/failures";
import { isId } from "@pay/values";
import { z } from "zod";
import { findActorNames } from "../../audit/entries.ts";
import { findFirstResponse, writeOnce } from "../../idempotency/own-write.ts";
import { mayUse } from "../../keys/caller.ts";
import { listNeeds, type Position, type ShownNeed } from "../../needs/list-needs.ts";
import { NEED_KINDS } from "../../needs/need.ts";
import { SOURCE_NAMES, SOURCES } from "../../needs/sources.ts";
import { changeState, findStates } from "../../needs/states.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";
import { replyNext } from "../page.ts";
import { listPeople, needList, needState, renderNeed, renderState } from "./response.ts";

const LIMIT = { default: 50, max: 100 };
const cursorRule = buildRule("be the cursor of an earlier page");
const positionShape = z.partialRecord(z.enum(SOURCE_NAMES), z.string().max(40).nullable());

/** Of the places where the lists of the services go on. */
function parseCursor(text: string): Position | undefined {
  try {
    return positionShape.parse(JSON.parse(Buffer.from(text, "base64url").toString())) as Position;
  } catch {
    return undefined;
  }
}

function formatCursor(position: Position | undefined): string {
  return position === undefined ? "" : Buffer.from(JSON.stringify(position)).toString("base64url");
}

const needFilters = z.object({
  kind: field.choiceField(NEED_KINDS).optional().describe("Only needs of this kind."),
  taken: field
    .choiceField(["me", "anyone", "nobody"])
    .optional()
    .describe("Only needs that you, anyone or nobody has taken: `me`, `anyone` or `nobody`."),
  limit: field.queryInteger(LIMIT.max).optional().describe("Maximum number of items of a page."),
  after: field
    .reference(512)
    .refine((text) => parseCursor(text) !== undefined, cursorRule)
    .optional()
    .describe("Cursor: `X-Next-After` of the previous page."),
});

const needChange = z.object({
  take: field.flag().optional().describe("Whether you deal with it; false for nobody."),
  note: field.text(500).optional().describe("Note for colleagues; an empty one removes it."),
  done: field.flag().optional().describe("Whether nothing is to be done any more."),
});

const needs = { auth: "secret", tag: "Needs", limit: "standard", scope: "payments:read" } as const;

type Taken = z.output<typeof needFilters>["taken"];

function isTaken(taken: Taken, actor: string, { state: { takenBy } }: ShownNeed): boolean {
  if (taken === undefined) return true;
  if (taken === "me") return takenBy === actor;
  return (takenBy !== null) === (taken === "anyone");
}

export const listNeedsRoute = route({
  ...needs,
  summary: "List what waits for a person, newest first, as far as the key may read it",
  query: needFilters,
  response: needList,
  success: 200,
  handle: async (call, deps) => {
    const { caller, services, query } = call;
    const { kind, taken, limit = LIMIT.default, after } = query;
    const sources = SOURCES.filter(
      ({ scope, kinds }) => mayUse(caller, scope) && (kind === undefined || kinds.includes(kind)),
    );
    const {
      needs: found,
      incomplete,
      next,
    } = await listNeeds({
      services,
      sources,
      position: (after === undefined ? undefined : parseCursor(after)) ?? {},
      limit,
      isWanted: (need) =>
        need.state.doneAt === null &&
        (kind === undefined || need.kind === kind) &&
        isTaken(taken, caller.actor, need),
      findStates: (listed) => findStates(deps.pool, caller, listed),
    });
    replyNext(call, formatCursor(next));
    const names = await findActorNames(deps.pool, caller.projectId, listPeople(found));
    return { data: found.map((need) => renderNeed({ ...need, names })), incomplete };
  },
});

const NEED_NOT_FOUND = new Failure("need_not_found", "Nothing with this id waits for a person");

/** What waits under the id, as its service has it now. */
async function findNeed({ services, params: { id } }: Call) {
  const source = SOURCES.find(({ prefix }) => isId(prefix, id));
  if (source === undefined) throw NEED_NOT_FOUND;
  const need = await source.find(services, id);
  if (need === undefined) throw NEED_NOT_FOUND;
  return need;
}

export const changeNeedRoute = route({
  ...needs,
  scope: "payments:write",
  audit: { ofKeys: true, own: true },
  summary: "Take what waits for a person, note something about it, or call it done",
  example: { request: { take: true, note: "Asked the customer" } },
  body: needChange,
  response: needState,
  success: 200,
  failures: [
    "need_not_found",
    "payment_not_found",
    "transfer_not_found",
    "refund_not_found",
    "settlement_not_found",
  ],
  handle: async (call, deps) => {
    const first = await findFirstResponse(deps, call);
    if (first !== undefined) return first;
    const need = await findNeed(call);
    const { take, note, done } = call.body;
    const { actor } = call.caller;
    const now = deps.clock.now();
    const change = {
      ...(take !== undefined && { takenBy: take ? actor : null }),
      ...(note !== undefined && { note: note === "" ? null : note }),
      ...(done !== undefined && { doneAt: done ? now : null }),
    };
    return writeOnce(deps, call, async (tx) => {
      const { state, changes } = await changeState(tx, call.caller, { need, change, now });
      await call.audit.record(tx, { targetId: need.id, changes });
      const shown = { ...need, state };
      const names = await findActorNames(tx, call.caller.projectId, listPeople([shown]));
      return renderState({ ...shown, names });
    });
  },
});
