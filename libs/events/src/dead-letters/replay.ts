// Dead letters that an operator wants handled again. The command marks the row, and a consumer of the running service
// takes it: the handler's effects and the end of the row are one transaction. Nothing goes over the bus, so no other
// consumer gets the event twice. The order among the events of a resource is the operator's responsibility.
import { type Database, transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { openPayload } from "../consumer/envelope.ts";
import { isTransient, toText } from "../consumer/faults.ts";
import {
  type ClaimReplayRow,
  claimReplay,
  deleteDeadLetter,
  failReplay,
} from "../generated/sql.ts";

const INTERVAL_MS = 2_000;

export interface ReplayOptions {
  db: Database;
  runtime: Runtime;
  consumer: string;
  handle(events: Event[], tx: PoolClient): Promise<void>;
  afterCommit?(): void;
}

export function startReplays(options: ReplayOptions): void {
  const { runtime, consumer } = options;
  every({
    name: `replays for ${consumer}`,
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      while (!runtime.stopping.aborted && (await replayOne(options)));
    },
  });
}

/** False when none is left. */
async function replayOne(options: ReplayOptions): Promise<boolean> {
  const { db, runtime, consumer, handle, afterCommit } = options;
  let claimed: ClaimReplayRow | undefined;
  try {
    claimed = await transaction(db.pool, async (tx) => {
      [claimed] = await claimReplay(tx, { consumer });
      if (claimed === undefined) return undefined;
      const event = openPayload(claimed.payload);
      if (typeof event === "string") throw new Error(event);
      await handle([event], tx);
      await deleteDeadLetter(tx, { id: claimed.id });
      return claimed;
    });
  } catch (error) {
    if (claimed === undefined || isTransient(error)) throw error;
    runtime.log.error({ err: error, consumer, eventId: claimed.event_id }, "a replay failed");
    await failReplay(db.pool, { id: claimed.id, error: toText(error) });
    return true;
  }
  if (claimed === undefined) return false;
  runtime.log.info({ consumer, eventId: claimed.event_id }, "a dead letter was handled again");
  afterCommit?.();
  return true;
}
