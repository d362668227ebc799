// A pg.Pool as it must behave under load and faults. On top of what pg does:
// - a query that fails for a reason of its own (a violated constraint) keeps its connection, where pg would close it;
// - a connection in an unknown state (no answer in time, socket lost) is closed and never used again, also when the
//   one who holds it hands it back as if it were sound, as Prisma's transactions do;
// - errors of the moment arrive as the Failure "unavailable", the same for pg and for Prisma;
// - waiting for a connection is bounded in number as well as in time.
import { Failure } from "@pay/rpc";
import type pg from "pg";
import { breaksConnection, connectFailure, queryFailure } from "./errors.ts";

export interface PoolGuard {
  /** When the server last answered a query; 0 for never. */
  lastAnswerMs(): number;
}

export const guardPool = (pool: pg.Pool, waitingMax: number): PoolGuard => {
  let lastAnswerMs = 0;
  const connectRaw = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;

  const connect = async (): Promise<pg.PoolClient> => {
    if (pool.waitingCount >= waitingMax) {
      throw new Failure("unavailable", "The service is overloaded, try again shortly");
    }
    try {
      return await connectRaw();
    } catch (error) {
      throw connectFailure(error);
    }
  };

  const query = async (...args: [never]): Promise<unknown> => {
    const client = await connect();
    try {
      return await client.query(...args);
    } finally {
      client.release();
    }
  };

  pool.connect = connect as typeof pool.connect;
  pool.query = query as typeof pool.query;
  pool.on("connect", (client) =>
    guardClient(client, () => {
      lastAnswerMs = Date.now();
    }),
  );
  return { lastAnswerMs: () => lastAnswerMs };
};

const guardClient = (client: pg.PoolClient, onAnswer: () => void): void => {
  // While nobody queries, a lost connection is an event; without a listener it would end the process. Whoever
  // holds the connection learns of it from his next query.
  client.on("error", () => {});
  const queryRaw = client.query.bind(client) as (...args: [never]) => unknown;

  const query = (...args: [never]): unknown => {
    const answer = queryRaw(...args);
    if (!(answer instanceof Promise)) return answer;
    return answer.then(
      (result) => {
        onAnswer();
        return result;
      },
      (error: unknown) => {
        if (breaksConnection(error)) void (client as unknown as pg.Client).end().catch(() => {});
        throw queryFailure(error);
      },
    );
  };
  client.query = query as typeof client.query;
};
