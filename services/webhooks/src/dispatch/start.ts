// Puts the dispatcher together. Parts stop in reverse order: first nothing new starts and what is under way ends or
// runs out of time, then the heartbeat stops, then everything owned is freed for the others.
import type { Database } from "@pay/database";
import type { Egress } from "@pay/egress";
import { every, type Runtime } from "@pay/process";
import type { SealingKeys } from "../domain/sealing.ts";
import { watchLoad } from "../metrics.ts";
import { type Backlog, startBacklog } from "./backlog.ts";
import { createDirectory } from "./directory.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createFinisher, type Finisher } from "./finisher.ts";
import type { Timeline } from "./timers.ts";
import { startWorker, type Worker } from "./worker.ts";

const REFRESH_MS = 500;
const DRAIN_MAX_MS = 10_000;
const DRAIN_LOOK_MS = 20;

export interface Dispatch {
  worker: Worker;
  dispatcher: Dispatcher;
  backlog: Backlog;
  now: () => number;
}

export const startDispatch = async (options: {
  db: Database;
  runtime: Runtime;
  egress: Egress;
  timeline: Timeline;
  sealingKeys: SealingKeys;
}): Promise<Dispatch> => {
  const { db, runtime, egress, timeline, sealingKeys } = options;
  const { log, clock } = runtime;
  const { pool } = db;
  const { now } = timeline;

  const worker = await startWorker({
    pool,
    runtime,
    onLost: () => dispatcher.drop(),
    onBeat: (freed) => {
      dispatcher.pump();
      if (freed > 0) backlog.wake();
    },
  });
  const finisher = createFinisher({ pool, log, now });
  const dispatcher = createDispatcher({
    ...{ egress, clock, timeline, finisher, log },
    directory: createDirectory({ pool, keys: sealingKeys, log }),
    mayStart: () => worker.id() !== undefined,
    onFull: (endpointId) => backlog.note(endpointId),
    onRoom: (endpointId) => {
      if (backlog.has(endpointId)) backlog.wake();
    },
  });
  runtime.onStop("webhook dispatcher", () => drain(dispatcher, finisher));
  const backlog = startBacklog({ pool, runtime, worker, dispatcher, now });
  every({ name: "webhook directory", intervalMs: REFRESH_MS, runtime, act: dispatcher.refresh });
  watchLoad(dispatcher.load);
  return { worker, dispatcher, backlog, now };
};

/** An attempt takes ten seconds at the most, so all of them end in time unless the database does not answer. */
const drain = async (dispatcher: Dispatcher, finisher: Finisher): Promise<void> => {
  dispatcher.close();
  const deadline = performance.now() + DRAIN_MAX_MS;
  while (isUnderWay(dispatcher) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
  }
  finisher.giveUp();
};

const isUnderWay = (dispatcher: Dispatcher): boolean => {
  const { inFlight, unfinished } = dispatcher.load();
  return inFlight + unfinished > 0;
};
