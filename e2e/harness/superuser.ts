// What a test does in the databases of a cluster as their superuser.
import type { ServiceName } from "@pay/standalone";
import { until } from "@pay/testing";
import pg from "pg";
import type { Cluster } from "./distributed.ts";

type Servers = Pick<Cluster, "postgres">;

async function connected({ postgres }: Servers, database: string): Promise<pg.Client> {
  const client = new pg.Client(postgres.superuserUrl(database));
  client.on("error", () => {}); // A test may kill the server first.
  await client.connect();
  return client;
}

/** Runs the statements on one connection; the answer to the last one. */
export async function asSuperuser(
  cluster: Servers,
  database: string,
  ...statements: string[]
): Promise<pg.QueryResult> {
  const client = await connected(cluster, database);
  try {
    let last = await client.query("select 1");
    for (const statement of statements) last = await client.query(statement);
    return last;
  } finally {
    await client.end();
  }
}

/** The statement that creates payments. */
export const CREATION = /^\s*with input as/;

export interface HeldTable {
  /** Resolves when a statement waits for the lock; one that fits, where the service's own jobs may wait for it too. */
  waitedFor(statement?: RegExp): Promise<unknown>;
  /** The same for the statement of a call: false where the call ended before, because it was refused on its way. */
  holds(call: Promise<unknown>, statement?: RegExp): Promise<boolean>;
  release(): Promise<void>;
}

/** A lock that makes statements on the table wait: all of them, or only those that write. */
export async function holdTable(
  cluster: Servers,
  database: ServiceName,
  table: string,
  statements: "all" | "writes",
): Promise<HeldTable> {
  const client = await connected(cluster, database);
  const lock = statements === "all" ? "access exclusive" : "share";
  await client.query("begin");
  await client.query(`lock table ${table} in ${lock} mode`);
  async function isWaitedFor(statement = /^/): Promise<boolean> {
    // Inside a transaction pg_stat_activity goes on answering what it answered first.
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query<{ query: string }>(
      `select query from pg_locks join pg_stat_activity using (pid)
       where not granted and relation = $1::regclass`,
      [table],
    );
    return rows.some(({ query }) => statement.test(query));
  }

  const what = `statements on ${table}`;
  return {
    waitedFor: (statement) => until(() => isWaitedFor(statement), { what }),
    holds: async (call, statement) => {
      let hasEnded = false;
      function ended() {
        hasEnded = true;
      }

      call.then(ended, ended);
      await until(async () => (await isWaitedFor(statement)) || hasEnded, { what });
      return !hasEnded;
    },
    release: async () => {
      await client.query("rollback");
      await client.end();
    },
  };
}
