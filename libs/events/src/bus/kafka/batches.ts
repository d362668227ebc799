// The batches that the library delivers per partition become one list: all partitions of a fetch share one turn of the
// handler, hence one transaction, and their offsets one commit. Order inside a partition is kept. A rebalance ends a
// turn after the list in hand: the other members of the group wait for this one.
import type { Log } from "@pay/process";
import type { EachBatchPayload } from "kafkajs";
import { pause } from "../../pause.ts";
import { type BusRecord, LIST_MAX, type Subscription } from "../bus.ts";
import { noteBusy } from "./progress.ts";
import { toRecord } from "./record.ts";

const HEARTBEAT_EVERY_MS = 1_000;
const RETRY_PAUSE_MAX_MS = 2_000;
/** The error codes of a heartbeat when the group assigns its partitions anew, or has done so without this member. */
const REBALANCE = new Set([
  "REBALANCE_IN_PROGRESS",
  "ILLEGAL_GENERATION",
  "NOT_COORDINATOR_FOR_GROUP",
  "UNKNOWN_MEMBER_ID",
]);

interface Turn {
  payload: EachBatchPayload;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface BatchHandler {
  eachBatch(payload: EachBatchPayload): Promise<void>;
  /** Resolves when the subscription's handler is done with the list that it has, whatever the brokers do. */
  listInHand(): Promise<unknown>;
}

export function createBatchHandler(options: {
  subscription: Subscription;
  topicPrefix: string;
  log: Log;
  signal: AbortSignal;
}): BatchHandler {
  const { subscription, topicPrefix, log, signal } = options;
  const commit = subscription.isBroadcast ? async () => {} : createCommitter(log);
  const waiting: Turn[] = [];
  let busy = false;
  let inHand: Promise<unknown> = Promise.resolve();

  async function takeTurns() {
    busy = true;
    // The library hands in the partitions of one fetch within one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await takeTogether(waiting.splice(0));
    busy = false;
  }

  async function takeTogether(turns: Turn[]) {
    try {
      await handleTurns(turns.map(({ payload }) => payload));
      for (const { resolve } of turns) resolve();
    } catch (error) {
      for (const { reject } of turns) reject(error);
    }
  }

  async function handleTurns(payloads: EachBatchPayload[]) {
    const fresh = payloads.filter(({ isStale, isRunning }) => isRunning() && !isStale());
    const [first] = fresh;
    if (first === undefined) return;
    const records = fresh.flatMap(({ batch }) => {
      const topic = batch.topic.slice(topicPrefix.length);
      return batch.messages.map((message) => toRecord(topic, batch.partition, message));
    });
    const rebalance = new AbortController();
    const until = AbortSignal.any([signal, rebalance.signal]);
    const beat = setInterval(() => {
      first.heartbeat().catch((error: { type?: string }) => {
        if (REBALANCE.has(error.type ?? "")) rebalance.abort(error);
      });
    }, HEARTBEAT_EVERY_MS);
    noteBusy(subscription.group, true);
    let handled = 0;
    try {
      while (handled < records.length) {
        const list = records.slice(handled, handled + LIST_MAX);
        if (!(await handleUntilDone(list, { until, isRunning: first.isRunning }))) break;
        handled += list.length;
      }
    } finally {
      clearInterval(beat);
      noteBusy(subscription.group, false);
    }
    resolveHandled(fresh, handled);
    const committed = commit(first);
    if (!until.aborted) return;
    // The member leaves its group once this turn has ended, and may not commit any more then.
    await committed;
    if (rebalance.signal.aborted) throw rebalance.signal.reason;
  }

  /** False when the consumer stops, or must join its group anew, before the list is handled. */
  async function handleUntilDone(
    records: BusRecord[],
    { until, isRunning }: { until: AbortSignal; isRunning: () => boolean },
  ) {
    for (let failures = 0; isRunning() && !until.aborted; ) {
      try {
        const handled = subscription.handle(records);
        inHand = handled.catch(() => {});
        await handled;
        return true;
      } catch (error) {
        failures++;
        log.warn({ err: error, records: records.length, failures }, "a list was not handled");
        await pause(Math.min(50 * 2 ** failures, RETRY_PAUSE_MAX_MS), until);
      }
    }
    return false;
  }

  return {
    eachBatch: (payload) =>
      new Promise((resolve, reject) => {
        waiting.push({ payload, resolve, reject });
        if (!busy) void takeTurns();
      }),
    listInHand: () => inHand,
  };
}

/** The first so many records of these batches are handled. */
function resolveHandled(payloads: EachBatchPayload[], handled: number): void {
  let left = handled;
  for (const { batch, resolveOffset } of payloads) {
    if (left <= 0) return;
    const last = batch.messages[Math.min(left, batch.messages.length) - 1];
    if (last !== undefined) resolveOffset(last.offset);
    left -= batch.messages.length;
  }
}

/**
 * Commits offsets while the next list is handled, one commit at a time, each for all lists that are done by then. The
 * next commit covers one that failed; until then a crash would bring repeats, which the inbox drops.
 */
function createCommitter(log: Log): (payload: EachBatchPayload) => Promise<void> {
  let wanted: EachBatchPayload | undefined;
  let committing: Promise<void> | undefined;
  async function commitAll() {
    for (let payload = wanted; payload !== undefined; payload = wanted) {
      wanted = undefined;
      try {
        await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
      } catch (error) {
        log.debug({ err: error }, "offsets were not committed");
      }
    }
    committing = undefined;
  }

  return (payload) => {
    wanted = payload;
    committing ??= commitAll();
    return committing;
  };
}
