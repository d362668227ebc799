// The trail of one request in the audit log. What the gateway's own tables hold is recorded in the transaction of the
// change. What another service does is recorded before the call and again with its outcome, so that a crash in between
// leaves a trace.
import type { Queryable } from "@pay/database";
import { asFailure, toRestError } from "@pay/failures";
import type { Clock, Log } from "@pay/process";
import type { Pool } from "pg";
import { finishAuditEntry, removeAuditEntry } from "../generated/sql.ts";
import type { Caller } from "../keys/caller.ts";
import { type Changes, type EntryPlace, insertEntry, type NewEntry } from "./entries.ts";

/** How a route's requests are recorded. Writes of members always are. */
export interface AuditRule {
  /** Those of keys, too: the route changes settings or moves money out. */
  ofKeys?: true;
  /** The handler records them itself, with the change. */
  own?: true;
  /** Fields of the body whose values are recorded; of others the log has the names. */
  values?: readonly string[];
}

export interface AuditTrail {
  /** For changes of own tables; the transaction is that of the change. */
  record(tx: Queryable, done: { targetId: string | null; changes?: Changes }): Promise<void>;
  /** For requests that other services answer. */
  follow<Answer extends object>(act: () => Promise<Answer>): Promise<Answer>;
  /** Tells that the answer is that of an earlier request, so that nothing was changed. */
  noteReplay(): void;
}

/** Of requests that are not recorded. */
export const NO_TRAIL: AuditTrail = {
  record: async () => {},
  follow: (act) => act(),
  noteReplay: () => {},
};

export interface AuditedRequest extends Omit<NewEntry, "changes"> {
  /** Fields of the body. */
  fields: Readonly<Record<string, unknown>>;
  success: number;
}

interface Parts {
  pool: Pool;
  clock: Clock;
  log: Log;
}

export function isAudited(
  caller: Pick<Caller, "type">,
  { method, audit }: { method: string; audit?: AuditRule },
): boolean {
  if (method === "GET") return false;
  return caller.type === "member" || (caller.type === "secret" && audit?.ofKeys === true);
}

export function createTrail(
  { pool, clock, log }: Parts,
  { fields, success, ...entry }: AuditedRequest,
  { own, values = [] }: AuditRule = {},
): AuditTrail {
  let isReplay = false;

  async function finish(place: EntryPlace, answer: object): Promise<void> {
    if (isReplay) return void (await removeAuditEntry(pool, place));
    const { id } = answer as { id?: unknown };
    const targetId = entry.targetId ?? (typeof id === "string" ? id : null);
    await finishAuditEntry(pool, { ...place, targetId, statusCode: success, errorCode: null });
  }

  async function fail(place: EntryPlace, error: unknown): Promise<void> {
    const failure = asFailure(error);
    const { statusCode } = toRestError(failure);
    const outcome = { statusCode, errorCode: failure.errorCode };
    await finishAuditEntry(pool, { ...place, targetId: entry.targetId, ...outcome });
  }

  /** The change is made by now: an answer that says otherwise would be wrong, and the entry stays without an end. */
  async function settle(writing: Promise<void>): Promise<void> {
    await writing.catch((error: unknown) =>
      log.error({ err: error, requestId: entry.requestId }, "the audit log lacks an outcome"),
    );
  }

  return {
    record: async (tx, { targetId, changes = {} }) => {
      const done = { now: clock.now(), statusCode: success };
      await insertEntry(tx, { ...entry, targetId, changes }, done);
    },
    follow: async (act) => {
      if (own) return act();
      const changes = describeFields(fields, values);
      const place = await insertEntry(pool, { ...entry, changes }, { now: clock.now() });
      try {
        const answer = await act();
        await settle(finish(place, answer));
        return answer;
      } catch (error) {
        await settle(fail(place, error));
        throw error;
      }
    },
    noteReplay: () => {
      isReplay = true;
    },
  };
}

function describeFields(fields: AuditedRequest["fields"], values: readonly string[]): Changes {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, values.includes(name) ? { after: value } : {}]),
  );
}
