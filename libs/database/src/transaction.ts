import type pg from "pg";
import { isConflict, isOutdatedPlan } from "./errors.ts";

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 10;

export interface TransactionOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
}

/**
 * Runs the work in one transaction. A transaction that lost against another (serialization, deadlock) was undone
 * by the server, so the work is run again from its beginning; every other error undoes it and is thrown.
 */
export const transaction = async <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work, options);
    } catch (error) {
      // Every connection of the pool may hold an outdated plan once; that is no lost race.
      const attemptsMax = isOutdatedPlan(error) ? pool.options.max + ATTEMPTS_MAX : ATTEMPTS_MAX;
      if (attempt >= attemptsMax || !isConflict(error)) throw error;
      await pause(PAUSE_MS * attempt * (0.5 + Math.random()));
    }
  }
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const runOnce = async <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { isolation }: TransactionOptions,
): Promise<T> => {
  const client = await pool.connect();
  let unsound: Error | undefined;
  try {
    await client.query(isolation === undefined ? "begin" : `begin isolation level ${isolation}`);
    const result = await work(client);
    const { command } = await client.query("commit");
    // The server answers a commit after a swallowed error with a rollback, and calls that a success.
    if (command !== "COMMIT") throw new Error("the transaction had failed before its commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((fault: Error) => {
      unsound = fault;
    });
    throw error;
  } finally {
    client.release(unsound);
  }
};
