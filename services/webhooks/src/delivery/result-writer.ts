// Writes the results of attempts in batches: planning the statement costs as much as 25 rows, and no merchant waits for
// it. While the database is away, results are kept and retried, and the dispatcher starts nothing. A result that the
// database rejects is found by bisection and written without the rejected data, so that its delivery ends. A delivery
// whose result is never written would be sent for ever.
import { createBatcher } from "@pay/batching";
import { isFaultOfData } from "@pay/database";
import type { Log } from "@pay/process";
import type { Pool } from "pg";
import { finishAttempts } from "../storage/cross-tenant.ts";
import type { Result } from "./delivery.ts";

const ITEMS_MAX = 500;
/** Short, because an unwritten result is sent again after a crash. */
const GATHER_MS = 10;
const PAUSE_MAX_MS = 1_000;

export interface ResultWriter {
  /**
   * False if another worker owns the delivery, the time is over, or the delivery had to end instead of being retried.
   */
  write(result: Result): Promise<boolean>;
  unfinished(): number;
  /** Stops retrying. */
  giveUp(): void;
}

export function createResultWriter(options: {
  pool: Pool;
  log: Log;
  now: () => number;
}): ResultWriter {
  const { pool, log, now } = options;
  let unfinished = 0;
  let givenUp = false;

  async function writeAll(results: Result[]): Promise<boolean[]> {
    for (let failures = 0; !givenUp; ) {
      try {
        const done = await finishAttempts(pool, results, now());
        return results.map(({ delivery }) => done.has(delivery.id));
      } catch (error) {
        if (isFaultOfData(error)) return writeHalves(results, error);
        failures++;
        log.warn({ err: error, results: results.length, failures }, "writing attempts failed");
        await pause(Math.min(20 * 2 ** failures, PAUSE_MAX_MS));
      }
    }
    return results.map(() => false);
  }

  async function writeHalves(results: Result[], error: unknown): Promise<boolean[]> {
    const [only] = results;
    if (results.length === 1 && only !== undefined) {
      const { delivery } = only;
      const reduced = reduceResult(only);
      const fault = { err: error, deliveryId: delivery.id };
      if (reduced === undefined) {
        log.error(fault, "a result cannot be written");
        return [false];
      }
      log.error(fault, "writing an attempt without rejected data");
      const [isWritten = false] = await writeAll([reduced]);
      return [isWritten && reduced.next.state === only.next.state];
    }
    const middle = Math.ceil(results.length / 2);
    const first = await writeAll(results.slice(0, middle));
    return [...first, ...(await writeAll(results.slice(middle)))];
  }

  const writeTogether = createBatcher(writeAll, {
    itemsMax: ITEMS_MAX,
    gatherMs: GATHER_MS,
    inFlightMax: 1,
    queueMax: Number.MAX_SAFE_INTEGER, // bounded by the dispatcher, which stops starting
    waitMaxMs: Number.MAX_SAFE_INTEGER,
  });

  return {
    write: async (result) => {
      unfinished++;
      try {
        return await writeTogether(result);
      } finally {
        unfinished--;
      }
    },
    unfinished: () => unfinished,
    giveUp: () => {
      givenUp = true;
    },
  };
}

/**
 * Removes data of the receiver first, then the log entry. An attempt without a log entry is not counted, so its
 * delivery ends. Undefined if nothing is left to remove.
 */
function reduceResult(result: Result): Result | undefined {
  const { log, next } = result;
  if (log === undefined) return undefined;
  if (log.response.length > 0 || log.retryAfter !== undefined) {
    return { ...result, log: { ...log, retryAfter: undefined, response: Buffer.alloc(0) } };
  }
  const state = next.state === "pending" ? "failed" : next.state;
  return { ...result, next: { ...next, state }, log: undefined };
}

function pause(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
