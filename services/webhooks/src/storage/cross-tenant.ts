// Statements across tenants: a worker claims, loads and finishes the deliveries of all projects, a list at a time. A
// row is changed only by the worker that owns it and at the attempt that the worker knows, so that a removed worker
// cannot undo the work of its successor. Statements on partitions are not prepared: a plan from when today's partition
// was small would scan it for each result.
import type { Queryable } from "@pay/database";
import { copyBuffer, type Delivery, type Result } from "../delivery/delivery.ts";
import { buildBody } from "../domain/included-fields.ts";
import * as statements from "../generated/sql.ts";

/** Writes the results of attempts. Returns the ids of rows that this worker still owned. */
export async function finishAttempts(
  db: Queryable,
  results: readonly Result[],
  now: number,
): Promise<Set<string>> {
  const unwritten = await statements.finishAttempts(db, {
    results: results.map((result) => toResultRow(result, now)),
    days: listDays(results.map(({ delivery }) => delivery)),
  });
  const lost = new Set(unwritten.map(({ id }) => id));
  const ids = results.map(({ delivery }) => delivery.id);
  return new Set(lost.size === 0 ? ids : ids.filter((id) => !lost.has(id)));
}

function toResultRow(result: Result, now: number): statements.FinishAttemptsResults {
  const { delivery, next, log } = result;
  return {
    id: delivery.id,
    owner: delivery.owner,
    attempts: delivery.attempts,
    day: delivery.day,
    state: next.state,
    wait_ms: computeWaitMs(result, now),
    is_logged: log !== undefined,
    started_at: log?.startedAt ?? null,
    duration_ms: log?.durationMs ?? null,
    status_code: log?.statusCode ?? null,
    error: log?.error ?? null,
    remote_address: log?.remoteAddress ?? null,
    retry_after: log?.retryAfter ?? null,
    response: log?.response ?? null,
    response_complete: log?.responseComplete ?? null,
    url: log?.url ?? null,
  };
}

function computeWaitMs({ next, endedAt }: Result, now: number): number {
  return Math.max(0, Math.round(endedAt + next.delayMs - now));
}

/** Each day once. */
function listDays(deliveries: readonly Pick<Delivery, "day">[]): Date[] {
  return [...new Map(deliveries.map(({ day }) => [day.getTime(), day])).values()];
}

/** Claims due deliveries that no worker owns. */
export async function claimDeliveries(
  db: Queryable,
  options: {
    /** Of each endpoint. */
    rooms: Map<string, number>;
    owner: number;
    lookaheadMs: number;
    /** First day to look at. */
    since: Date;
    now: () => number;
  },
): Promise<Delivery[]> {
  const { rooms, owner, lookaheadMs, since, now } = options;
  const requestedAt = now();
  const rows = await statements.claimDeliveries(db, {
    rooms: Array.from(rooms, ([endpointId, room]) => ({ endpoint_id: endpointId, room })),
    owner,
    lookaheadMs,
    since,
  });
  const times = { requestedAt, respondedAt: now() };
  return rows.map((row) => toDelivery(row, owner, times));
}

export async function loadOwnedDeliveries(
  db: Queryable,
  { ids, owner, now }: { ids: readonly string[]; owner: number; now: () => number },
): Promise<Delivery[]> {
  const requestedAt = now();
  const rows = await statements.loadOwnedDeliveries(db, { ids, owner });
  const times = { requestedAt, respondedAt: now() };
  return rows.map((row) => toDelivery(row, owner, times));
}

function toDelivery(
  row: statements.ClaimDeliveriesRow,
  owner: number,
  { requestedAt, respondedAt }: { requestedAt: number; respondedAt: number },
): Delivery {
  return {
    id: row.id,
    day: row.day,
    endpointId: row.endpoint_id,
    endpointVersion: row.endpoint_version ?? undefined,
    loadedAt: requestedAt,
    owner,
    attempts: row.attempts,
    eventId: row.event_id,
    projectId: row.project_id,
    requestId: row.request_id,
    mode: row.mode,
    eventType: row.type,
    resourceId: row.resource_id,
    sequence: row.sequence,
    occurredAt: row.occurred_at,
    isRedelivery: row.redeliveries > 0,
    body: buildBody(copyBuffer(row.body), row.included, row.include),
    // The wait for a connection must not count as part of the delay.
    dueAt: respondedAt + row.wait_ms,
  };
}

export async function releaseDeliveries(
  db: Queryable,
  { deliveries, owner }: { deliveries: readonly Pick<Delivery, "id" | "day">[]; owner: number },
): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  await statements.releaseDeliveries(db, { ids, days: listDays(deliveries), owner });
}
