// How a script of a migration waits for the locks it needs. A change of a table waits for its readers and writers, and
// holds up all that come after it meanwhile. So it waits briefly, gives way, and tries again until its turn comes.
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@pay/process";
import type pg from "pg";
import { getSqlState, isConflict } from "./errors.ts";

/** How long a writer may wait behind a script that does not get its lock. */
const BRIEF_MS = 200;
/** Every so many tries it waits long enough for the server to end a vacuum that is in its way. */
const LONG_EVERY = 8;
const LONG_MS = 1_500;
const PAUSE_MS = 1_000;
const GIVE_UP_MS = 10 * 60_000;
/** A script of several transactions finds its place again, but only when it is started again. */
const IN_PARTS_MS = 10_000;

const LOCK_TIMEOUT = "55P03";

export interface Script {
  name: string;
  text: string;
  /** One transaction, so what failed has left nothing behind. */
  isAtomic: boolean;
}

export async function runInTurn(pool: pg.Pool, script: Script, log: Log): Promise<unknown> {
  if (!script.isAtomic) {
    // An index that is built concurrently waits for older transactions and holds no writer up.
    const isIndex = /\bconcurrently\b/i.test(script.text);
    await pool.query(`set lock_timeout = ${isIndex ? 0 : IN_PARTS_MS}`);
    return pool.query(script.text);
  }
  const end = performance.now() + GIVE_UP_MS;
  for (let tries = 1; ; tries++) {
    try {
      await pool.query(`set lock_timeout = ${tries % LONG_EVERY === 0 ? LONG_MS : BRIEF_MS}`);
      return await pool.query(script.text);
    } catch (error) {
      const mayPass = getSqlState(error) === LOCK_TIMEOUT || isConflict(error);
      if (!mayPass || performance.now() > end) throw error;
      log.warn({ migration: script.name, tries }, "a migration waits for a lock and gives way");
      await pause(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}
