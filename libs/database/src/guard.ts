// A pg.Pool as it must behave under load and faults. On top of what pg does:
// - a query that fails for a reason of its own (a violated constraint) keeps its connection, where pg would close it;
// - a connection in an unknown state (no answer in time, socket lost) is closed and never used again, also when the
//   one who holds it hands it back as if it were sound, as Prisma's transactions do;
// - errors of the moment arrive as the Failure "unavailable", the same for pg and for Prisma;
// - a migration under a running service costs no request, although it outdates prepared statements;
// - waiting for a connection is bounded in number as well as in time, and so is waiting for an answer.
import { Failure } from "@pay/rpc";
import type pg from "pg";
import { breaksConnection, connectFailure, isOutdatedPlan, queryFailure } from "./errors.ts";

export interface PoolGuard {
  /** When the server last answered a query; 0 for never, or when it has failed to since. */
  lastAnswerMs(): number;
}

export interface GuardOptions {
  /** Callers who may wait for a connection; one more is refused at once. */
  waitingMax: number;
  /** Bound on one answer, beyond the server's own; it ends the connection. */
  answerTimeoutMs: number;
}

export const guardPool = (
  pool: pg.Pool,
  { waitingMax, answerTimeoutMs }: GuardOptions,
): PoolGuard => {
  let lastAnswerMs = 0;
  const heard = (answered: boolean) => {
    lastAnswerMs = answered ? Date.now() : 0;
  };
  const connectRaw = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;

  const connect = async (): Promise<pg.PoolClient> => {
    if (pool.waitingCount >= waitingMax) {
      throw new Failure("unavailable", "The service is overloaded, try again shortly");
    }
    try {
      return await connectRaw();
    } catch (error) {
      heard(false);
      throw connectFailure(error);
    }
  };

  const queryOnce = async (...args: [never]): Promise<unknown> => {
    const client = await connect();
    try {
      return await client.query(...args);
    } finally {
      client.release();
    }
  };

  const query = async (...args: [never]): Promise<unknown> => {
    // After a migration every connection may hold an outdated plan; each is closed when it says so.
    for (let left = pool.options.max; left > 0; left--) {
      try {
        return await queryOnce(...args);
      } catch (error) {
        if (!isOutdatedPlan(error)) throw error;
      }
    }
    return queryOnce(...args);
  };

  pool.connect = connect as typeof pool.connect;
  pool.query = query as typeof pool.query;
  pool.on("connect", (client) => guardClient(client, answerTimeoutMs, heard));
  return { lastAnswerMs: () => lastAnswerMs };
};

const guardClient = (
  client: pg.PoolClient,
  answerTimeoutMs: number,
  heard: (answered: boolean) => void,
): void => {
  // While nobody queries, a lost connection is an event; without a listener it would end the process. Whoever
  // holds the connection learns of it from his next query.
  client.on("error", () => {});
  const ask = asking(client, answerTimeoutMs);

  const query = async (...args: unknown[]): Promise<unknown> => {
    try {
      const result = await ask(args);
      heard(true);
      return result;
    } catch (error) {
      const broken = breaksConnection(error);
      heard(!broken);
      if (broken) void (client as unknown as pg.Client).end().catch(() => {});
      throw queryFailure(error);
    }
  };
  const queryRaw = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) =>
    wantsPromise(args) ? query(...args) : queryRaw(...args)) as typeof client.query;
};

/**
 * A promise around pg's callback, and a timeout of our own, because pg's promise and pg's query_timeout each tie a
 * query to itself through its callback. The rows of such queries outlive the collector's short rounds, which then
 * take tens of milliseconds instead of less than one.
 */
const asking = (client: pg.PoolClient, answerTimeoutMs: number) => {
  const queryRaw = client.query.bind(client) as (
    text: unknown,
    values: unknown,
    done: (error: Error | undefined, result: unknown) => void,
  ) => void;
  return ([text, values]: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("no answer from the database in time")),
        answerTimeoutMs,
      );
      queryRaw(text, values, (error, result) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      });
    });
};

// Callers with a callback or a cursor get no promise; they look after errors themselves.
const wantsPromise = (args: unknown[]): boolean =>
  typeof args.at(-1) !== "function" &&
  typeof (args[0] as { submit?: unknown } | undefined)?.submit !== "function";
