// What people have noted about needs: who has one, a note, that it is done.
import type { Queryable } from "@pay/database";
import type { Changes } from "../audit/entries.ts";
import * as sql from "../generated/sql.ts";
import type { KeyMode } from "../keys/caller.ts";
import type { Need } from "./need.ts";

export interface NeedState {
  takenBy: string | null;
  note: string | null;
  doneAt: Date | null;
}

export const UNTOUCHED: NeedState = { takenBy: null, note: null, doneAt: null };

interface Place {
  projectId: string;
  mode: KeyMode;
}

/** What a state counts for. */
export function getSubject({ kind, about = kind }: Need): string {
  return about;
}

/** By id. A state that was noted about another reason to wait is over. */
export async function findStates(
  db: Queryable,
  { projectId, mode }: Place,
  needs: readonly Need[],
): Promise<Map<string, NeedState>> {
  if (needs.length === 0) return new Map();
  const kinds = new Map(needs.map((need) => [need.id, getSubject(need)]));
  const rows = await sql.findNeedStates(db, { projectId, mode, ids: [...kinds.keys()] });
  return new Map(
    rows
      .filter((row) => kinds.get(row.need_id) === row.kind)
      .map((row) => [row.need_id, toState(row)]),
  );
}

function toState(row: Pick<sql.FindNeedStatesRow, "taken_by" | "note" | "done_at">): NeedState {
  return { takenBy: row.taken_by, note: row.note, doneAt: row.done_at };
}

/** Absent fields stay. */
export type StateChange = Partial<NeedState>;

export async function changeState(
  db: Queryable,
  { projectId, mode }: Place,
  { need, change, now }: { need: Need; change: StateChange; now: Date },
): Promise<{ state: NeedState; changes: Changes }> {
  const needId = need.id;
  const kind = getSubject(need);
  const [row] = await sql.openNeedState(db, { projectId, mode, needId, kind, now });
  if (row === undefined) throw new Error("the state of a need was not stored");
  const before = toState(row);
  const state = { ...before, ...change };
  await sql.changeNeedState(db, { projectId, mode, needId, ...state });
  return { state, changes: describeChanges(before, state) };
}

/** A note may name people, so the log has only that it changed. */
function describeChanges(before: NeedState, after: NeedState): Changes {
  return {
    ...(before.takenBy !== after.takenBy && {
      takenBy: { before: before.takenBy, after: after.takenBy },
    }),
    ...(before.note !== after.note && { note: {} }),
    ...(before.doneAt !== after.doneAt && {
      doneAt: { before: before.doneAt, after: after.doneAt },
    }),
  };
}
