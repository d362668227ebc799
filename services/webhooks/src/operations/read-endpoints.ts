import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  GetEndpointRequest,
  ListEndpointHealthRequest,
  ListEndpointsRequest,
  ListFailingEndpointsRequest,
} from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { computeOffset, computeShare } from "../domain/endpoint-share.ts";
import { CONCURRENCY_MIN } from "../domain/pacing.ts";
import {
  countBacklog,
  listFailingEndpoints as findFailing,
  listEndpointHours,
  listEndpointLoads,
  listEndpointMedians,
} from "../generated/sql.ts";
import { toEndpoint } from "../messages.ts";
import { type Endpoint, findEndpoint, listEndpoints as list } from "../storage/endpoints.ts";
import { recentDays } from "../storage/recent-days.ts";

const BACKLOG_COUNTED_MAX = 10_000;
const HOURS = 24;

export async function readEndpoint(deps: Deps, tenant: Tenant, id: string) {
  return { endpoint: toEndpoint(await requireEndpoint(deps, tenant, id)) };
}

export async function getEndpoint(deps: Deps, { tenant, id }: GetEndpointRequest) {
  const endpoint = await requireEndpoint(deps, parseTenant(tenant), id);
  return { endpoint: toEndpoint(endpoint), ...(await readLoad(deps, endpoint)) };
}

async function requireEndpoint({ db }: Deps, tenant: Tenant, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(db.pool, tenant, id);
  if (endpoint === undefined) throw createEndpointNotFound();
  return endpoint;
}

/** The limit of requests in flight and the deliveries that wait, at all workers and in the table. */
async function readLoad(
  { db, workers }: Pick<Deps, "db" | "workers">,
  { id, concurrency_max }: Endpoint,
) {
  const [loads, [inTable]] = await Promise.all([
    listEndpointLoads(db.pool, { endpointId: id }),
    countBacklog(db.pool, { endpointId: id }),
  ]);
  const limits = new Map(loads.map(({ worker, concurrency }) => [worker, concurrency]));
  const endpoint = { offset: computeOffset(id), slots: concurrency_max };
  const all = workers();
  const concurrency = sum(
    all.map((worker) =>
      Math.min(
        limits.get(worker) ?? CONCURRENCY_MIN,
        computeShare(endpoint, { workers: all, worker }),
      ),
    ),
  );
  const backlog = sum([inTable?.count ?? 0, ...loads.map((load) => load.backlog)]);
  return { concurrency, backlog: Math.min(backlog, BACKLOG_COUNTED_MAX) };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export async function listEndpoints({ db }: Deps, { tenant, page }: ListEndpointsRequest) {
  const { rows, total, nextAfter } = await list(db.pool, parseTenant(tenant), parsePage(page));
  return { endpoints: rows.map(toEndpoint), total: BigInt(total), nextAfter };
}

export async function listFailingEndpoints(
  { db, clock }: Deps,
  { tenant }: ListFailingEndpointsRequest,
) {
  const { projectId, mode } = parseTenant(tenant);
  const rows = await findFailing(db.pool, { projectId, mode, since: recentDays(clock) });
  return {
    endpoints: rows.map(({ failures, failing_since, ...endpoint }) => ({
      endpoint: toEndpoint(endpoint),
      failures,
      ...(failing_since && { failingSince: timestampFromDate(failing_since) }),
    })),
  };
}

/** Counters and a bounded part of the log, so that it costs the same after a million deliveries. */
export async function listEndpointHealth(
  { db, clock }: Deps,
  { tenant }: ListEndpointHealthRequest,
) {
  const { projectId, mode } = parseTenant(tenant);
  const [hours, durations] = await Promise.all([
    listEndpointHours(db.pool, { projectId, mode, hours: HOURS }),
    listEndpointMedians(db.pool, { projectId, mode, since: recentDays(clock) }),
  ]);
  const medians = new Map(durations.map(({ id, median_ms }) => [id, median_ms]));
  const byEndpoint = Map.groupBy(hours, ({ id }) => id);
  return {
    endpoints: Array.from(byEndpoint, ([endpointId, own]) => ({
      endpointId,
      hours: own.map(({ hour, succeeded, failed }) => ({
        from: timestampFromDate(hour),
        succeeded,
        failed,
      })),
      medianMs: medians.get(endpointId),
    })),
  };
}

export function createEndpointNotFound(): Failure {
  return new Failure("endpoint_not_found", "Webhook endpoint not found");
}

export function createDeliveryNotFound(): Failure {
  return new Failure("delivery_not_found", "Delivery not found");
}

export function createEndpointDisabled(): Failure {
  return new Failure("endpoint_disabled", "Webhook endpoint is disabled");
}
