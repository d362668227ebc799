// Claims deliveries that no worker has in memory: those that did not fit, those of removed workers, and those that this
// worker owns because the response to a statement was lost. Each endpoint is filled up to its quota.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { BODY_BYTES_MAX } from "../consumers/read-event.ts";
import { listBacklog, listOwnedDeliveries } from "../generated/sql.ts";
import { claimDeliveries, loadOwnedDeliveries } from "../storage/cross-tenant.ts";
import { ALL_DAYS, recentDays } from "../storage/recent-days.ts";
import type { Delivery } from "./delivery.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Worker } from "./workers.ts";

const CLAIM_INTERVAL_MS = 1_000;
/** Longer than the interval, so that a delivery is in memory when it is due. */
const LOOKAHEAD_MS = 1_500;
const ENDPOINTS_MAX = 2_000;
const CLAIM_MAX = 500;
/** Earlier days have redeliveries only, so their partitions are read less often. */
const ALL_DAYS_EVERY = 5;
const AUDIT_EVERY_MS = 60_000;
const EARLY_AUDIT_MS = 11_000;

export interface Backlog {
  /** Endpoints whose new deliveries wait in the table, behind earlier ones. */
  endpoints(): string[];
  has(endpointId: string): boolean;
  add(endpointId: string): void;
  /** Call it after the response to a statement was lost: this worker may own rows that are not in memory. */
  scheduleAudit(): void;
  wake(): void;
  /** Reads all days, not only the last two. */
  wakeAllDays(): void;
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
  let rounds = 0;
  let readsAllDays = true;
  let auditAt = performance.now() + AUDIT_EVERY_MS;

  // Later, because listOwned omits recent rows, which may still be on their way into memory.
  function scheduleAudit() {
    auditAt = Math.min(auditAt, performance.now() + EARLY_AUDIT_MS);
  }

  async function claim(owner: number) {
    const since =
      readsAllDays || rounds % ALL_DAYS_EVERY === 0 ? ALL_DAYS : recentDays(runtime.clock);
    readsAllDays = false;
    rounds++;
    const rows = await listBacklog(pool, { after, limit: ENDPOINTS_MAX, since });
    const listed = rows.map((row) => row.endpoint_id);
    const isAll = after === "" && listed.length < ENDPOINTS_MAX;
    after = listed.length < ENDPOINTS_MAX ? "" : (listed.at(-1) ?? "");
    const inTable = new Set(listed);
    for (const id of waiting) {
      if (isAll && !inTable.has(id) && dispatcher.countRoom(id) > 0) waiting.delete(id);
    }
    const rooms = divideRoom(dispatcher, rotate(listed, rounds));
    // New events take memory while the rows are on their way.
    const bytes = BODY_BYTES_MAX * [...rooms.values()].reduce((sum, room) => sum + room, 0);
    if (rooms.size === 0 || !dispatcher.reserve(bytes)) return;
    const options = { rooms, owner, lookaheadMs: LOOKAHEAD_MS, since, now };
    let claimed: Delivery[];
    try {
      claimed = await claimDeliveries(pool, options);
    } finally {
      dispatcher.release(bytes);
    }
    dispatcher.accept(claimed);
    for (const { endpointId } of claimed) rooms.set(endpointId, (rooms.get(endpointId) ?? 0) - 1);
    for (const [id, left] of rooms) {
      // Room is left if the table has no more due deliveries.
      if (left > 0) waiting.delete(id);
      else waiting.add(id);
    }
    if ([...rooms].some(([id, left]) => left === 0 && dispatcher.countRoom(id) > 0)) {
      readsAllDays = since === ALL_DAYS;
      job.wake();
    }
  }

  async function audit(owner: number) {
    if (performance.now() < auditAt) return;
    const owned = await listOwnedDeliveries(pool, { owner });
    const missing = owned.flatMap(({ id }) => (dispatcher.has(id) ? [] : [id]));
    // Read again by id, because a delivery may have finished since.
    const found =
      missing.length === 0 ? [] : await loadOwnedDeliveries(pool, { ids: missing, owner, now });
    if (found.length > 0)
      runtime.log.warn(
        { deliveries: found.length },
        "loaded owned deliveries that were missing in memory",
      );
    dispatcher.accept(found);
    auditAt = performance.now() + AUDIT_EVERY_MS;
  }

  const job = every({
    name: "webhook backlog",
    intervalMs: CLAIM_INTERVAL_MS,
    runtime,
    act: async () => {
      const owner = worker.id();
      if (owner === undefined || dispatcher.isClosed()) return;
      try {
        await claim(owner);
      } catch (error) {
        scheduleAudit();
        throw error;
      }
      await audit(owner);
    },
  });
  return {
    endpoints: () => [...waiting],
    has: (endpointId) => waiting.has(endpointId),
    add: (endpointId) => waiting.add(endpointId),
    scheduleAudit,
    wake: job.wake,
    wakeAllDays: () => {
      readsAllDays = true;
      job.wake();
    },
  };
}

/** Each round begins at another endpoint, because the memory may be full before the list ends. */
function rotate(endpoints: readonly string[], rounds: number): string[] {
  const first = rounds % Math.max(1, endpoints.length);
  return [...endpoints.slice(first), ...endpoints.slice(0, first)];
}

/**
 * How many deliveries each endpoint may load, in equal portions; endpoints with more room continue at once. The size of
 * a body is not known yet, so each counts as the largest. Half of the memory stays for events that come in meanwhile.
 */
function divideRoom(
  dispatcher: Pick<Dispatcher, "countRoom" | "countFree">,
  endpoints: readonly string[],
): Map<string, number> {
  let left = Math.min(CLAIM_MAX, Math.ceil(dispatcher.countFree(BODY_BYTES_MAX) / 2));
  const portion = Math.max(1, Math.floor(left / endpoints.length));
  const rooms = new Map<string, number>();
  for (const id of endpoints) {
    const room = Math.min(portion, left, dispatcher.countRoom(id));
    if (room <= 0) continue;
    rooms.set(id, room);
    left -= room;
  }
  return rooms;
}
