// Writes the results of attempts: all that ended while the last statement ran, or within a few milliseconds, are written by
// one statement, because each is planned anew, which costs as much as 25 rows, and no merchant waits for it. While the
// database is away, results are kept and written again; the dispatcher starts nothing new meanwhile. A result that the
// database refuses because of its data is found by halving the list and written with less, so that it stops no other and
// its delivery ends: one whose result is never written would be sent again and again.
import { createBatcher } from "@pay/batching";
import { isFaultOfData } from "@pay/database";
import type { Log } from "@pay/process";
import type { Pool } from "pg";
import { finishAttempts } from "../storage/internal.ts";
import type { Result } from "./delivery.ts";

const ITEMS_MAX = 500;
/** Short, because a result that is not written yet is sent again after a crash. */
const GATHER_MS = 10;
const PAUSE_MAX_MS = 1_000;

export interface ResultWriter {
  /**
   * True once it is written; false when another worker owns the delivery now, there was no more time, or the delivery had to
   * end instead of being tried once more.
   */
  write(result: Result): Promise<boolean>;
  unfinished(): number;
  /** Stops trying again. */
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
        log.warn({ err: error, results: results.length, failures }, "attempts were not written");
        await pause(Math.min(20 * 2 ** failures, PAUSE_MAX_MS));
      }
    }
    return results.map(() => false);
  }

  async function writeHalves(results: Result[], error: unknown): Promise<boolean[]> {
    const [only] = results;
    if (results.length === 1 && only !== undefined) {
      const { delivery } = only;
      const less = withLess(only);
      const fault = { err: error, deliveryId: delivery.id };
      if (less === undefined) {
        log.error(fault, "a result cannot be written");
        return [false];
      }
      log.error(fault, "an attempt is written with less than was known");
      const [isWritten = false] = await writeAll([less]);
      return [isWritten && less.next.state === only.next.state];
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
 * The same result without what came from outside, then without an entry in the log. An attempt that is in no log is not
 * counted, so its delivery ends instead of being tried once more. Undefined where there is nothing less.
 */
function withLess(result: Result): Result | undefined {
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
