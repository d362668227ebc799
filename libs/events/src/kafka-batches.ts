// What the library hands in per partition becomes one list: all partitions of a fetch share one turn of the
// handler, hence one transaction, and their offsets one commit. Order inside a partition is kept.
import type { Log } from "@pay/process";
import type { EachBatchPayload } from "kafkajs";
import { type BusRecord, LIST_MAX, type Subscription } from "./bus.ts";
import { noteLag } from "./kafka-progress.ts";
import { recordOf } from "./kafka-record.ts";
import { pause } from "./pause.ts";

const HEARTBEAT_EVERY_MS = 1_000;
const RETRY_PAUSE_MAX_MS = 2_000;

interface Turn {
  payload: EachBatchPayload;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export const createBatchHandler = (options: {
  subscription: Subscription;
  topicPrefix: string;
  log: Log;
  signal: AbortSignal;
}): ((payload: EachBatchPayload) => Promise<void>) => {
  const { subscription, topicPrefix, log, signal } = options;
  const commit = createCommitter(log);
  const waiting: Turn[] = [];
  let busy = false;

  const takeTurns = async () => {
    busy = true;
    // The library hands in the partitions of one fetch within one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await takeTogether(waiting.splice(0));
    busy = false;
  };

  const takeTogether = async (turns: Turn[]) => {
    try {
      await handleTurns(turns.map(({ payload }) => payload));
      for (const { resolve } of turns) resolve();
    } catch (error) {
      for (const { reject } of turns) reject(error);
    }
  };

  const handleTurns = async (payloads: EachBatchPayload[]) => {
    const fresh = payloads.filter(({ isStale, isRunning }) => isRunning() && !isStale());
    const [first] = fresh;
    if (first === undefined) return;
    const records = fresh.flatMap(({ batch }) => {
      const topic = batch.topic.slice(topicPrefix.length);
      return batch.messages.map((message) => recordOf(topic, message));
    });
    // A failing heartbeat means a rebalance: the work under way is finished all the same, repeats are harmless.
    const beat = setInterval(() => void first.heartbeat().catch(() => {}), HEARTBEAT_EVERY_MS);
    try {
      for (let at = 0; at < records.length; at += LIST_MAX) {
        if (!(await handleUntilDone(records.slice(at, at + LIST_MAX), first.isRunning))) return;
      }
    } finally {
      clearInterval(beat);
    }
    for (const { batch, resolveOffset } of fresh) {
      const lastMessage = batch.messages.at(-1);
      if (lastMessage !== undefined) resolveOffset(lastMessage.offset);
      noteLag(subscription.group, batch.topic.slice(topicPrefix.length), batch);
    }
    commit(first);
  };

  /** False when we are to stop before it is done. */
  const handleUntilDone = async (records: BusRecord[], isRunning: () => boolean) => {
    for (let failures = 0; isRunning() && !signal.aborted; ) {
      try {
        await subscription.handle(records);
        return true;
      } catch (error) {
        failures++;
        log.warn({ err: error, records: records.length, failures }, "a list was not handled");
        await pause(Math.min(50 * 2 ** failures, RETRY_PAUSE_MAX_MS), signal);
      }
    }
    return false;
  };

  return (payload) =>
    new Promise((resolve, reject) => {
      waiting.push({ payload, resolve, reject });
      if (!busy) void takeTurns();
    });
};

/**
 * Tells Kafka what is done while the next list is under way, one commit at a time, each for all that is done by then.
 * One that fails is made good by the next; until then a crash would bring repeats, which the inbox drops.
 */
const createCommitter = (log: Log): ((payload: EachBatchPayload) => void) => {
  let wanted: EachBatchPayload | undefined;
  let busy = false;
  const commitAll = async () => {
    busy = true;
    for (let payload = wanted; payload !== undefined; payload = wanted) {
      wanted = undefined;
      try {
        await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
      } catch (error) {
        log.debug({ err: error }, "offsets were not committed");
      }
    }
    busy = false;
  };
  return (payload) => {
    wanted = payload;
    if (!busy) void commitAll();
  };
};
