// SQL of who is alive. A worker is dead for good the moment its row is gone; only then are its deliveries freed, so
// that one which was merely frozen finds out by its next heartbeat that it owns nothing any more.
import type { Pool } from "pg";

export const registerWorker = async (pool: Pool, host: string): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>(
    "insert into workers (host) values ($1) returning id",
    [host],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("a worker was not registered");
  return row.id;
};

export interface Beat {
  /** False when the row is gone: others have taken this worker for dead. */
  isAlive: boolean;
  /** How many others were struck off for their silence. */
  buried: number;
}

export const beat = async (pool: Pool, worker: number, silentMs: number): Promise<Beat> => {
  const { rows } = await pool.query<{ beaten: number; buried: number }>({
    name: "worker-beat",
    text: `
      with beaten as (
        update workers set heartbeat_at = now() where id = $1 returning id
      ), buried as (
        delete from workers
        where id <> $1 and heartbeat_at < now() - $2 * interval '1 millisecond' returning id
      )
      select (select count(*) from beaten)::int as beaten, (select count(*) from buried)::int as buried`,
    values: [worker, silentMs],
  });
  const [row] = rows;
  return { isAlive: row?.beaten === 1, buried: row?.buried ?? 0 };
};

const ORPHANS = {
  name: "worker-orphans",
  text: `
    with recursive owners as (
      (select owner from deliveries where state = 'live' and owner is not null order by owner limit 1)
      union all
      select (select owner from deliveries where state = 'live' and owner > owners.owner
        order by owner limit 1)
      from owners where owners.owner is not null
    ), orphans as (
      select deliveries.id from owners
      join deliveries on deliveries.owner = owners.owner and deliveries.state = 'live'
      where not exists (select from workers where workers.id = owners.owner)
      limit $1 for update of deliveries skip locked
    )
    update deliveries set owner = null where id = any(array(select id from orphans))`,
};

/** Frees deliveries whose owner is no more; answers how many, at most the limit. */
export const releaseOrphans = async (pool: Pool, limit: number): Promise<number> => {
  const { rowCount } = await pool.query({ ...ORPHANS, values: [limit] });
  return rowCount ?? 0;
};

/** The orderly end: everything this worker owns is free, and it is gone. */
export const dismissWorker = async (pool: Pool, worker: number): Promise<void> => {
  await pool.query(
    `with freed as (update deliveries set owner = null where owner = $1 and state = 'live')
     delete from workers where id = $1`,
    [worker],
  );
};
