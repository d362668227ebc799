// A pg.Pool as it must behave under load and faults. On top of what pg does:
// - a query that fails for a reason of its own (a violated constraint) keeps its connection, where pg would close it;
// - a connection in an unknown state (no answer in time, socket lost) is closed and never used again, also when the
//   one who holds it hands it back as if it were sound, as Prisma's transactions do;
// - errors of the moment arrive as the Failure "service_unavailable", the same for pg and for Prisma;
// - a migration under a running service costs no request, although it outdates prepared statements;
// - a single statement that lost against another transaction runs again, a bounded number of times;
// - waiting for a connection is bounded in number as well as in time, and so is waiting for an answer.

import { Failure } from "@pay/failures";
import { traceStep } from "@pay/process";
import type pg from "pg";
import { retryOnConflict } from "./conflicts.ts";
import { breaksConnection, connectFailure, queryFailure } from "./errors.ts";

export interface PoolGuard {
  /** When the server last answered a query; 0 for never, or when it has failed to since. */
  lastAnswerMs(): number;
}

export interface GuardOptions {
  /** Callers who may wait for a connection; one more is refused at once. */
  waitingMax: number;
  /** Bound on one answer, beyond the server's own; it ends the connection. */
  answerTimeoutMs: number;
  /** Whether named statements are prepared; false behind a pooler that shares sessions. */
  prepares?: boolean;
}

export function guardPool(
  pool: pg.Pool,
  { waitingMax, answerTimeoutMs, prepares = true }: GuardOptions,
): PoolGuard {
  let lastAnswerMs = 0;
  function heard(answered: boolean) {
    lastAnswerMs = answered ? Date.now() : 0;
  }

  const connectRaw = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;

  async function connect(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= waitingMax) {
      throw new Failure("service_overloaded", "The service is overloaded, try again shortly");
    }
    try {
      return await connectRaw();
    } catch (error) {
      heard(false);
      throw connectFailure(error);
    }
  }

  async function queryOnce(...args: [never]): Promise<unknown> {
    const client = await connect();
    try {
      return await client.query(...args);
    } finally {
      client.release();
    }
  }

  function query(...args: [never]): Promise<unknown> {
    // After a migration every connection may hold an outdated plan; each is closed when it reports that.
    return retryOnConflict(() => queryOnce(...args), pool.options.max);
  }

  pool.connect = connect as typeof pool.connect;
  pool.query = query as typeof pool.query;
  pool.on("connect", (client) => guardClient(client, { answerTimeoutMs, prepares, heard }));
  return { lastAnswerMs: () => lastAnswerMs };
}

function guardClient(
  client: pg.PoolClient,
  {
    answerTimeoutMs,
    prepares,
    heard,
  }: { answerTimeoutMs: number; prepares: boolean; heard: (answered: boolean) => void },
): void {
  // A connection that is lost between two queries emits an event, which would end the process without a listener. The
  // holder of the connection gets the error with its next query.
  client.on("error", () => {});
  const sendNamed = createSender(client, answerTimeoutMs);
  const sendPlain = prepares ? sendNamed : (args: unknown[]) => sendNamed(unnamed(args));
  const attributes = {
    "db.system.name": "postgresql",
    "db.namespace": (client as unknown as pg.Client).database ?? "",
  };

  function send(args: unknown[]): Promise<unknown> {
    return traceStep(
      () => ({ name: nameQuery(args), kind: "client", attributes }),
      () => sendPlain(args),
    );
  }

  async function query(...args: unknown[]): Promise<unknown> {
    try {
      const result = await send(args);
      heard(true);
      return result;
    } catch (error) {
      const broken = breaksConnection(error);
      heard(!broken);
      if (broken) void (client as unknown as pg.Client).end().catch(() => {});
      throw queryFailure(error);
    }
  }

  const queryRaw = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) =>
    wantsPromise(args) ? query(...args) : queryRaw(...args)) as typeof client.query;
}

/**
 * A promise around pg's callback, and a timeout of our own, because pg's promise and pg's query_timeout each tie a
 * query to itself through its callback. The rows of such queries outlive the collector's short rounds, which then
 * take tens of milliseconds instead of less than one.
 */
function createSender(client: pg.PoolClient, answerTimeoutMs: number) {
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
}

/** The file of a statement, or what it begins with: its text may be long, and its values are nobody's business. */
function nameQuery([query]: unknown[]): string {
  const { name = "", text } = typeof query === "string" ? { text: query } : (query as Query);
  return name && !name.startsWith("prisma-") ? name : (/\w+/.exec(text)?.[0] ?? "query");
}

interface Query {
  name?: string;
  text: string;
}

/** The same statement without its name, so that the server parses it each time. */
function unnamed([text, ...values]: unknown[]): unknown[] {
  if (typeof text !== "object" || text === null) return [text, ...values];
  const { name: _, ...statement } = text as { name?: string };
  return [statement, ...values];
}

// Callers with a callback or a cursor get no promise; they look after errors themselves.
function wantsPromise(args: unknown[]): boolean {
  return (
    typeof args.at(-1) !== "function" &&
    typeof (args[0] as { submit?: unknown } | undefined)?.submit !== "function"
  );
}
