// Connects the parts of delivery. They stop in reverse order: attempts in flight end or time out, the heartbeat stops,
// then all deliveries of this worker are released.
import type { Database } from "@pay/database";
import type { Egress } from "@pay/egress";
import { every, type Runtime } from "@pay/process";
import type { Box } from "@pay/sealing";
import type { Pool } from "pg";
import { computeShare } from "../domain/endpoint-share.ts";
import { readOldestWait } from "../generated/sql.ts";
import { startDisablingFailing } from "../jobs/disable-failing.ts";
import { oldestWait, watchLoad } from "../metrics.ts";
import { releaseDeliveries } from "../storage/cross-tenant.ts";
import { type Backlog, startBacklog } from "./backlog.ts";
import type { Delivery } from "./delivery.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createEndpointCache } from "./endpoint-cache.ts";
import { startCountingHours } from "./endpoint-hours.ts";
import { startWritingLoads } from "./endpoint-loads.ts";
import { createResultWriter, type ResultWriter } from "./result-writer.ts";
import type { Timeline } from "./retry-timers.ts";
import { startWorker, type Worker } from "./workers.ts";

const REFRESH_MS = 500;
const AGE_INTERVAL_MS = 15_000;
const DRAIN_MAX_MS = 10_000;
const DRAIN_POLL_MS = 20;

export interface DeliveryParts {
  worker: Worker;
  dispatcher: Dispatcher;
  backlog: Backlog;
  now: () => number;
}

export async function startDelivery(options: {
  db: Database;
  runtime: Runtime;
  egress: Egress;
  timeline: Timeline;
  box: Box;
}): Promise<DeliveryParts> {
  const { db, runtime, egress, timeline, box } = options;
  const { log, clock } = runtime;
  const { pool } = db;
  const { now } = timeline;

  const worker = await startWorker({
    pool,
    runtime,
    onLost: () => dispatcher.drop(),
    onHeartbeat: () => dispatcher.pump(),
    onReleased: () => backlog.wake(),
  });
  const failing = startDisablingFailing({ pool, runtime, now });
  const resultWriter = createResultWriter({ pool, log, now });
  const dispatcher = createDispatcher({
    egress,
    clock,
    timeline,
    resultWriter,
    log,
    endpointCache: createEndpointCache({ pool, box, log }),
    mayStart: () => worker.id() !== undefined,
    computeShare: (endpoint) =>
      computeShare(endpoint, { workers: worker.registered(), worker: worker.id() }),
    returnDeliveries: (deliveries) => returnDeliveries(pool, deliveries),
    onWritten: startCountingHours({ pool, runtime, worker }),
    onFailed: failing.add,
    onFull: (endpointId) => backlog.add(endpointId),
    onRoom: (endpointId) => {
      if (backlog.has(endpointId)) backlog.wake();
    },
  });
  runtime.onStop("webhook dispatcher", () => drain(dispatcher, resultWriter));
  const backlog = startBacklog({ pool, runtime, worker, dispatcher, now });
  every({
    name: "refresh of webhook endpoints",
    intervalMs: REFRESH_MS,
    runtime,
    act: dispatcher.refresh,
  });
  startWritingLoads({ pool, runtime, worker, listLoads: dispatcher.endpointLoads });
  watchLoad(dispatcher.load);
  every({
    name: "age of the oldest webhook",
    intervalMs: AGE_INTERVAL_MS,
    runtime,
    act: async () => {
      const [row] = await readOldestWait(pool);
      oldestWait.set(row?.seconds ?? 0);
    },
  });
  return { worker, dispatcher, backlog, now };
}

/** By owner: deliveries that were loaded before this worker registered again have another one. */
async function returnDeliveries(pool: Pool, deliveries: Delivery[]): Promise<void> {
  for (const owner of new Set(deliveries.map((delivery) => delivery.owner))) {
    const own = deliveries.filter((delivery) => delivery.owner === owner);
    await releaseDeliveries(pool, { deliveries: own, owner });
  }
}

/** An attempt takes at most ten seconds, so all end in time unless the database does not respond. */
async function drain(dispatcher: Dispatcher, resultWriter: ResultWriter): Promise<void> {
  dispatcher.close();
  const deadline = performance.now() + DRAIN_MAX_MS;
  while (isBusy(dispatcher) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
  resultWriter.giveUp();
}

function isBusy(dispatcher: Dispatcher): boolean {
  const { inFlight, unfinished } = dispatcher.load();
  return inFlight + unfinished > 0;
}
