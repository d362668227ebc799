// A pg.Pool as it must behave under load and faults. On top of what pg does:
// - a query that fails for a reason of its own (a violated constraint) keeps its connection, where pg would close it;
// - a connection in an unknown state (no answer in time, socket lost) is closed and never used again, also when the
//   one who holds it hands it back as if it were sound, as Prisma's transactions do;
// - errors of the moment arrive as the Failure "unavailable", the same for pg and for Prisma;
// - a migration under a running service costs no request, although it outdates prepared statements;
// - waiting for a connection is bounded in number as well as in time.
import { Failure } from "@pay/rpc";
import type pg from "pg";
import { breaksConnection, connectFailure, isOutdatedPlan, queryFailure } from "./errors.ts";

export interface PoolGuard {
  /** When the server last answered a query; 0 for never, or when it has failed to since. */
  lastAnswerMs(): number;
}

export const guardPool = (pool: pg.Pool, waitingMax: number): PoolGuard => {
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
  pool.on("connect", (client) => guardClient(client, heard));
  return { lastAnswerMs: () => lastAnswerMs };
};

const guardClient = (client: pg.PoolClient, heard: (answered: boolean) => void): void => {
  // While nobody queries, a lost connection is an event; without a listener it would end the process. Whoever
  // holds the connection learns of it from his next query.
  client.on("error", () => {});
  const queryRaw = client.query.bind(client) as (...args: [never]) => unknown;

  const query = (...args: [never]): unknown => {
    const answer = queryRaw(...args);
    if (!isPromise(answer)) return answer;
    return answer.then(
      (result) => {
        heard(true);
        return result;
      },
      (error: unknown) => {
        const broken = breaksConnection(error);
        heard(!broken);
        if (broken) void (client as unknown as pg.Client).end().catch(() => {});
        throw queryFailure(error);
      },
    );
  };
  client.query = query as typeof client.query;
};

// Callers with a callback or a cursor get no promise; they look after errors themselves.
const isPromise = (answer: unknown): answer is Promise<unknown> =>
  typeof (answer as { then?: unknown } | undefined)?.then === "function";
