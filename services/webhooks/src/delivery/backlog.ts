// Rows that no worker has in memory: those that did not fit, those of a removed worker, and those that this worker owns
// without knowing it because the answer of a statement was lost. Each endpoint is filled up to its quota.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { ALL_DAYS, recentDays } from "../storage/days.ts";
import { claimDeliveries, listBacklog, listOwned, loadOwned } from "../storage/internal.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Worker } from "./workers.ts";

const LOOK_EVERY_MS = 1_000;
/** Longer than the pause between two looks, so that what falls due in between is in memory in time. */
const LOOKAHEAD_MS = 1_500;
const ENDPOINTS_MAX = 2_000;
// A list of this many bodies of the greatest size is about 32 MiB.
const CLAIM_MAX = 500;
/** Deliveries of earlier days wait only where they were sent again; their partitions are looked at less often. */
const THOROUGH_EVERY = 5;
const AUDIT_EVERY_MS = 60_000;
const DOUBT_AFTER_MS = 11_000;

export interface Backlog {
  /** Endpoints whose new deliveries wait in the table, behind those that wait there already. */
  endpoints(): string[];
  has(endpointId: string): boolean;
  note(endpointId: string): void;
  /** A statement's answer was lost: this worker may own rows that it does not hold in memory. */
  doubt(): void;
  wake(): void;
  /** Looks at the deliveries of all days, not only at those of the last two. */
  wakeThorough(): void;
}

export function startBacklog(options: {
  pool: Pool;
  runtime: Runtime;
  worker: Worker;
  dispatcher: Dispatcher;
  now: () => number;
}): Backlog {
  const { pool, runtime, worker, dispatcher, now } = options;
  const waiting = new Set<string>();
  let after = "";
  let looks = 0;
  let isThorough = true;
  let auditAt = performance.now() + AUDIT_EVERY_MS;

  // Not at once: listOwned leaves out recent rows, which may still be on their way into memory.
  function doubt() {
    auditAt = Math.min(auditAt, performance.now() + DOUBT_AFTER_MS);
  }

  async function claim(owner: number) {
    const since = isThorough || looks % THOROUGH_EVERY === 0 ? ALL_DAYS : recentDays(runtime.clock);
    isThorough = false;
    looks++;
    const listed = await listBacklog(pool, { after, limit: ENDPOINTS_MAX, since });
    const isAll = after === "" && listed.length < ENDPOINTS_MAX;
    after = listed.length < ENDPOINTS_MAX ? "" : (listed.at(-1) ?? "");
    const inTable = new Set(listed);
    for (const id of waiting) {
      if (isAll && !inTable.has(id) && dispatcher.room(id) > 0) waiting.delete(id);
    }
    // A bounded list at a time, shared alike; who could take more is asked again at once.
    const portion = Math.max(1, Math.floor(CLAIM_MAX / listed.length));
    const rooms = new Map<string, number>();
    for (const id of listed) {
      const room = Math.min(portion, dispatcher.room(id));
      if (room > 0) rooms.set(id, room);
    }
    if (rooms.size === 0) return;
    const options = { rooms, owner, lookaheadMs: LOOKAHEAD_MS, since, now };
    const taken = await claimDeliveries(pool, options);
    dispatcher.accept(taken);
    for (const { endpointId } of taken) rooms.set(endpointId, (rooms.get(endpointId) ?? 0) - 1);
    for (const [id, left] of rooms) {
      // Room is left where the table has no more that is due.
      if (left > 0) waiting.delete(id);
      else waiting.add(id);
    }
    if ([...rooms].some(([id, left]) => left === 0 && dispatcher.room(id) > 0)) {
      isThorough = since === ALL_DAYS;
      job.wake();
    }
  }

  async function audit(owner: number) {
    if (performance.now() < auditAt) return;
    const owned = await listOwned(pool, owner);
    const missing = owned.filter((id) => !dispatcher.holds(id));
    // Asked again by id: a row that ended between the two questions is not ours to send any more.
    const found = missing.length === 0 ? [] : await loadOwned(pool, { ids: missing, owner, now });
    if (found.length > 0)
      runtime.log.warn(
        { deliveries: found.length },
        "deliveries that were missing in memory were loaded",
      );
    dispatcher.accept(found);
    auditAt = performance.now() + AUDIT_EVERY_MS;
  }

  const job = every({
    name: "webhook backlog",
    intervalMs: LOOK_EVERY_MS,
    runtime,
    act: async () => {
      const owner = worker.id();
      if (owner === undefined || dispatcher.isClosed()) return;
      try {
        await claim(owner);
      } catch (error) {
        doubt();
        throw error;
      }
      await audit(owner);
    },
  });
  return {
    endpoints: () => [...waiting],
    has: (endpointId) => waiting.has(endpointId),
    note: (endpointId) => waiting.add(endpointId),
    doubt,
    wake: job.wake,
    wakeThorough: () => {
      isThorough = true;
      job.wake();
    },
  };
}
