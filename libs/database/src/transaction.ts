import type pg from "pg";
import { retryOnConflict } from "./conflicts.ts";

export interface TransactionOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
}

/**
 * Runs the work in one transaction. A transaction that lost against another (serialization, deadlock) was undone
 * by the server, so the work is run again from its beginning; every other error undoes it and is thrown.
 */
export function transaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return retryOnConflict(() => runOnce(pool, work, options), pool.options.max);
}

async function runOnce<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { isolation }: TransactionOptions,
): Promise<T> {
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
}
