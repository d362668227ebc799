// Tables whose rows leave by time are partitioned by it: a partition that is over is dropped whole, which costs the
// same for one row and for a billion. Such a table is used so:
// - a migration creates it with `partition by range (<a timestamptz>)`, its indexes and constraints, and inserts its
//   row into time_partitions: how many hours a partition spans, how many are created ahead, how many are kept;
// - `migrate` creates the first partitions, `keepPartitions` in the service's start.ts creates and drops the others by
//   the owner's functions.
// A unique key contains the column of time, so it holds inside one partition only. A caller that needs more reads the
// live partitions first, under a lock.
//
// Failure modes:
// - several replicas do it at once: an advisory lock lets one work, and the others find nothing left to do.
// - the job does not run: partitions for `ahead` more spans are there, and time_partitions_ahead_seconds falls. After
//   that inserts fail with "service_unavailable" and the cause "no partition of relation … found for row".
// - the installation is stopped for a month: the start creates the partitions of the present before it returns.
//   Where `kept_used` is set, that many of the newest partitions with rows stay, however old they are.
// - a long transaction holds the table: a drop gives up after LOCK_TIMEOUT_MS, so that writers wait for that time at
//   most, and the next round tries again (time_partitions_overdue). Attaching takes no lock that writers wait for.
// All times are the database's own, because the rows' times are.
import type pg from "pg";
import { getSqlState } from "../errors.ts";
import { findMissingPartitions, type ListPartitionsRow, listPartitions } from "../generated/sql.ts";
import { transaction } from "../transaction.ts";

const LOCK_TIMEOUT_MS = 100;
const CREATE_LOCK_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = "55P03";
const LOCK = "hashtextextended('time partitions', 0)";

/** Creates the partitions of the present and of the near future that are missing. */
export async function createPartitions(pool: pg.Pool): Promise<void> {
  // A database without such tables, as some tests have one.
  const registry = await pool.query("select where to_regclass('time_partitions') is not null");
  if (registry.rowCount === 0) return;
  if ((await findMissingPartitions(pool)).length === 0) return;
  await transaction(pool, async (tx) => {
    await tx.query(`set local lock_timeout = ${CREATE_LOCK_TIMEOUT_MS}`);
    await tx.query(`select pg_advisory_xact_lock(${LOCK})`);
    for (const { table_name, start } of await findMissingPartitions(tx)) {
      await tx.query("select create_partition($1, $2)", [table_name, start]);
    }
  });
}

/** Drops the partitions whose time is over, each alone; the names of those that must wait for a lock are returned. */
export async function dropPartitions(pool: pg.Pool): Promise<string[]> {
  const overdue: string[] = [];
  for (const { name } of await findOver(pool)) {
    if (!(await dropAlone(pool, name))) overdue.push(name);
  }
  return overdue;
}

async function findOver(pool: pg.Pool): Promise<ListPartitionsRow[]> {
  const used = new Map<string, number>();
  const over: ListPartitionsRow[] = [];
  for (const partition of await listPartitions(pool)) {
    const { table_name, used_kept, name } = partition;
    const before = used.get(table_name) ?? 0;
    if (before >= used_kept) {
      if (partition.is_over) over.push(partition);
    } else if (!partition.is_ahead && (await hasRows(pool, name))) {
      used.set(table_name, before + 1);
    } else if (partition.is_over) {
      over.push(partition);
    }
  }
  return over;
}

async function hasRows(pool: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from ${name} limit 1`);
  return rowCount === 1;
}

async function dropAlone(pool: pg.Pool, name: string): Promise<boolean> {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await tx.query<{ mine: boolean }>(
        `select pg_try_advisory_xact_lock(${LOCK}) as mine`,
      );
      // Another replica is dropping it.
      if (rows[0]?.mine === true) await tx.query("select drop_partition($1)", [name]);
      return true;
    });
  } catch (error) {
    if (getSqlState(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
