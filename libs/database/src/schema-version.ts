// A new build may start before its database has the schema it needs: the migrations run beside it, or a person runs
// them. So a start waits, logs for what, and stays "not ready"; a schema newer than the build's own is accepted, which
// makes a roll back possible. The wait is bounded, because a process reads its settings only once: its supervisor
// starts it again, and the new process reads a corrected password or address.
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Failure } from "@pay/failures";
import type { Runtime } from "@pay/process";
import type pg from "pg";
import { getSqlState } from "./errors.ts";
import { findPendingMigrations } from "./migrate.ts";
import { findMigrationFiles } from "./migrations-folder.ts";

export interface SchemaWait {
  db: { readonly name: string; readonly pool: pg.Pool; readonly isPooled: boolean };
  /** The folder that holds the service's prisma/migrations. */
  home: URL;
  runtime: Runtime;
  /** The setting a person has to look at when the database does not answer. */
  variable: string;
  timeoutMs?: number;
  /** Bound on being refused: only a new start can see other credentials. */
  refusedTimeoutMs?: number;
}

const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 2_000;
const REPEAT_MS = 30_000;

/** Resolves when the database has at least this build's schema. */
export async function awaitSchema(wait: SchemaWait): Promise<void> {
  const { db, runtime, timeoutMs = 240_000, refusedTimeoutMs = 20_000 } = wait;
  let complete = false;
  runtime.readyWhen(`schema ${db.name}`, () => {
    if (!complete) throw new Error("not yet");
  });
  const say = createTeller(runtime, db.name);
  const startedAt = Date.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    const obstacle = await findObstacle(wait);
    if (obstacle === undefined) break;
    say(obstacle.message);
    const boundMs = obstacle.isRefusal ? refusedTimeoutMs : timeoutMs;
    if (Date.now() - startedAt > boundMs) throw new Error(obstacle.message);
    await pause(pauseMs, undefined, { signal: runtime.stopping });
  }
  complete = true;
}

interface Obstacle {
  message: string;
  isRefusal: boolean;
}

async function findObstacle({ db, home, variable }: SchemaWait): Promise<Obstacle | undefined> {
  try {
    const { migrationsPath } = findMigrationFiles(fileURLToPath(home));
    const pending = await findPendingMigrations(db.pool, migrationsPath);
    if (pending.length === 0) return db.isPooled ? await findUnbound(db) : undefined;
    const message = `database ${db.name} lacks migrations of this build: ${pending.join(", ")}; run its migrate.js (in Kubernetes look at the migrate Job)`;
    return { message, isRefusal: false };
  } catch (error) {
    if (!isDatabaseFault(error)) throw error;
    return { message: databaseFault(error, db.name, variable), isRefusal: isRefusal(error) };
  }
}

/** Behind a pooler only the role can have bounds; without them a frozen client never releases its locks. */
async function findUnbound({ name, pool }: SchemaWait["db"]): Promise<Obstacle | undefined> {
  const { rows } = await pool.query<{ setting: string }>(
    `select name as setting from pg_settings where setting = '0'
      and name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`,
  );
  if (rows.length === 0) return undefined;
  const settings = rows.map(({ setting }) => setting).join(", ");
  const message = `database ${name} is reached through a pooler, and its role has no bounds: alter role … set ${settings}`;
  return { message, isRefusal: false };
}

const REFUSALS = new Map([
  ["28000", "refuses this user"],
  ["28P01", "refuses the password"],
  ["3D000", "does not exist"],
  ["42501", "does not let this user read its migrations"],
]);

/** Only other credentials help. */
function isRefusal(error: unknown): boolean {
  return REFUSALS.has(getSqlState(error) ?? "");
}

/** It refuses us or is not there; anything else is a fault of ours. */
export function isDatabaseFault(error: unknown): boolean {
  return error instanceof Failure || isRefusal(error);
}

/** Why a database cannot be used, and how to mend it. */
export function databaseFault(error: unknown, name: string, variable: string): string {
  const refusal = REFUSALS.get(getSqlState(error) ?? "");
  if (refusal !== undefined) return `database ${name} ${refusal}: correct ${variable}`;
  return `database ${name} cannot be reached (${innermost(error)}): correct ${variable} or start the database`;
}

/** The message of the network or the server, without the errors that wrap it. */
function innermost(error: unknown): string {
  const { cause, message, errors } = error as {
    cause?: unknown;
    message?: string;
    errors?: unknown[];
  };
  const inner = cause ?? errors?.[0];
  return (inner ? innermost(inner) : message) || "no reason given";
}

/** Logs a message when it is new, and again from time to time while it stays the same. */
function createTeller(runtime: Runtime, database: string) {
  let last = "";
  let saidAt = 0;
  return (message: string): void => {
    if (message === last && Date.now() - saidAt < REPEAT_MS) return;
    last = message;
    saidAt = Date.now();
    runtime.log.warn({ database }, message);
  };
}
