// SQL of workers. A worker is removed for good when its row is deleted; only then are its deliveries freed, so that a
// worker which was merely frozen learns by its next heartbeat that it owns nothing.
import type { Pool } from "pg";

export async function registerWorker(pool: Pool, host: string): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    "insert into workers (host) values ($1) returning id",
    [host],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("a worker was not registered");
  return row.id;
}

export interface Heartbeat {
  /** False when the row is gone: other workers have removed this one. */
  isAlive: boolean;
  /** Number of other workers that were removed because they had no heartbeat. */
  removed: number;
  /** The ids of all workers that are left, in their order. */
  workers: number[];
}

/** Writes a heartbeat, and removes the workers that are silent for longer than given; none where nothing is given. */
export async function writeHeartbeat(
  pool: Pool,
  worker: number,
  silentMs: number | undefined,
): Promise<Heartbeat> {
  const { rows } = await pool.query<{ beaten: number; removed: number; workers: number[] }>({
    name: "worker-writeHeartbeat",
    text: `
      with beaten as (
        update workers set heartbeat_at = now() where id = $1 returning id
      ), removed as (
        delete from workers
        where id <> $1 and heartbeat_at < now() - $2::float8 * interval '1 millisecond' returning id
      )
      select (select count(*) from beaten)::int as beaten, (select count(*) from removed)::int as removed,
        array(select id from workers where id not in (select id from removed) order by id) as workers`,
    values: [worker, silentMs ?? null],
  });
  const [row] = rows;
  return {
    isAlive: row?.beaten === 1,
    removed: row?.removed ?? 0,
    workers: row?.workers ?? [],
  };
}

const ORPHANS = `
    with recursive owners as (
      (select owner from deliveries where state = 'pending' and owner is not null and day >= $2 order by owner limit 1)
      union all
      select (select owner from deliveries where state = 'pending' and day >= $2 and owner > owners.owner
        order by owner limit 1)
      from owners where owners.owner is not null
    ), orphans as (
      select deliveries.id, deliveries.day from owners
      join deliveries on deliveries.owner = owners.owner and deliveries.state = 'pending' and deliveries.day >= $2
      where not exists (select from workers where workers.id = owners.owner)
      limit $1 for update of deliveries skip locked
    )
    update deliveries set owner = null
    where id = any(array(select id from orphans)) and day = any(array(select distinct day from orphans))
      and day >= $2`;

/** Frees deliveries of this day or later whose owner is no more; answers how many, at most the limit. */
export async function releaseOrphans(
  pool: Pool,
  { limit, since }: { limit: number; since: Date },
): Promise<number> {
  const { rowCount } = await pool.query(ORPHANS, [limit, since]);
  return rowCount ?? 0;
}

/** The orderly end: everything this worker owns is free, and it is gone. */
export async function dismissWorker(pool: Pool, worker: number): Promise<void> {
  await pool.query(
    `with freed as (update deliveries set owner = null where owner = $1 and state = 'pending')
     delete from workers where id = $1`,
    [worker],
  );
}
