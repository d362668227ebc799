// Writes the results of attempts: all that ended while the last statement ran are written by the next one. While the
// database is away, results are kept and written again; the dispatcher starts nothing new meanwhile. A result that the
// database refuses because of its data is found by halving the list, logged and given up, so that it stops no other.
import { createBatcher } from "@pay/batching";
import { isFaultOfData } from "@pay/database";
import type { Log } from "@pay/process";
import type { Pool } from "pg";
import { finishAttempts } from "../storage/internal.ts";
import type { Result } from "./delivery.ts";

const ITEMS_MAX = 500;
const PAUSE_MAX_MS = 1_000;

export interface ResultWriter {
  /** True once it is written; false when another worker owns the delivery now, or there was no more time. */
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
      log.error(
        { err: error, deliveryId: only.delivery.id },
        "an attempt is written without details",
      );
      const plain = withoutDetails(only);
      return plain === only ? [false] : writeAll([plain]);
    }
    const middle = Math.ceil(results.length / 2);
    const first = await writeAll(results.slice(0, middle));
    return [...first, ...(await writeAll(results.slice(middle)))];
  }

  const writeTogether = createBatcher(writeAll, {
    itemsMax: ITEMS_MAX,
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

/** The same result without what came from outside; itself where there is nothing of that kind. */
function withoutDetails(result: Result): Result {
  const { log } = result;
  if (log === undefined || (log.response.length === 0 && log.retryAfter === undefined))
    return result;
  return { ...result, log: { ...log, retryAfter: undefined, response: Buffer.alloc(0) } };
}

function pause(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
