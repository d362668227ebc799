// Writes what came of attempts: all that ended while the last statement ran leave with the next one. While the
// database is away results are kept and tried again; the dispatcher starts nothing new meanwhile.
import type { Log } from "@pay/process";
import { together } from "@pay/rpc";
import type { Pool } from "pg";
import { finishAttempts } from "../storage/deliveries.ts";
import type { Result } from "./delivery.ts";

const ITEMS_MAX = 500;
const PAUSE_MAX_MS = 1_000;

export interface Finisher {
  /** True once it is written; false when the delivery has become somebody else's, or there was no more time. */
  finish(result: Result): Promise<boolean>;
  unfinished(): number;
  /** Stops trying again. */
  giveUp(): void;
}

export const createFinisher = (options: { pool: Pool; log: Log; now: () => number }): Finisher => {
  const { pool, log, now } = options;
  let unfinished = 0;
  let givenUp = false;

  const write = async (results: Result[]): Promise<boolean[]> => {
    for (let failures = 0; !givenUp; ) {
      try {
        const done = await finishAttempts(pool, results, now());
        return results.map(({ delivery }) => done.has(delivery.id));
      } catch (error) {
        failures++;
        log.warn({ err: error, results: results.length, failures }, "attempts were not written");
        await pause(Math.min(20 * 2 ** failures, PAUSE_MAX_MS));
      }
    }
    return results.map(() => false);
  };
  const writeTogether = together(write, {
    itemsMax: ITEMS_MAX,
    inFlightMax: 1,
    queueMax: Number.MAX_SAFE_INTEGER, // bounded by the dispatcher, which stops starting
    waitMaxMs: Number.MAX_SAFE_INTEGER,
  });

  return {
    finish: async (result) => {
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
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
