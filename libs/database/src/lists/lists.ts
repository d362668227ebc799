// Lists of merchants have connections of their own, and the lists of one project take turns on them.
import type pg from "pg";
import { type Database, openDatabase } from "../connect.ts";
import { openServiceDatabase, type ServiceDatabase } from "../service-database.ts";
import type { PageRequest } from "../statements/page.ts";
import { createTurns, type Turns } from "./turns.ts";

export interface Lists extends Turns {
  /** For lists alone, so that slow ones leave the other connections to creations and moves. */
  readonly pool: pg.Pool;
}

/** Of four connections one is for lists. */
const CONNECTIONS_PER_LIST = 4;
/**
 * Of one project, in one process: a second has 300 pages of 20 rows, 33 of 100, or 20 far ones of 100. What waits has
 * its turn before its caller gives up.
 */
const TURNS = { runningMax: 2, waitingMax: 50, rowsPerS: 6_000, rowsMax: 6_000, waitMaxMs: 3_000 };

/** Splits the configured number of connections in two pools. Where there are too few to split, one pool serves all. */
export async function openListedDatabase<Service extends string>(
  options: ServiceDatabase<Service>,
): Promise<{ db: Database; lists: Lists }> {
  const { service, config, runtime } = options;
  const settings = config as Readonly<Record<string, unknown>>;
  const max = settings[`${service.toUpperCase()}_DATABASE_POOL_MAX`] as number;
  const poolMax = Math.floor(max / CONNECTIONS_PER_LIST);
  const db = await openServiceDatabase({ ...options, poolMax: max - poolMax });
  const turns = createTurns(TURNS);
  if (poolMax === 0) return { db, lists: { ...turns, pool: db.pool } };
  const url = settings[`${service.toUpperCase()}_DATABASE_URL`] as string;
  const applicationName = `${service} lists`;
  const { pool } = openDatabase({
    url,
    poolMax,
    applicationName,
    runtime,
    isFurther: true,
    ...(options.planCacheMode && { planCacheMode: options.planCacheMode }),
  });
  return { db, lists: { ...turns, pool } };
}

/**
 * The unit of cost is a row of a page, which is read, sent to the gateway and written as JSON. A row that is only
 * skipped or counted is read in the order of an index and costs a small part of it.
 */
const READS_PER_ROW = 50;
/** The rows of a larger page count twice, because it occupies the service and the gateway for one long stretch. */
const SMALL_PAGE = 20;

/** Of reading rows that are in no answer. */
export function readCost(reads: number): number {
  return reads / READS_PER_ROW;
}

/** Of a page that skips rows. */
export function pageCost({ limit, skipped }: { limit: number; skipped: number }): number {
  return limit + Math.max(0, limit - SMALL_PAGE) + readCost(skipped);
}

/** Of a page by number, which reads the rows before it. */
export function listCost({ page, limit, after }: PageRequest): number {
  return pageCost({ limit, skipped: after === "" ? (page - 1) * limit : 0 });
}
