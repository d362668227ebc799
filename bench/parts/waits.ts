// What statements of an application wait for on a server, and whose statement holds them up: looked at every few
// milliseconds while something else is measured.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const EVERY_MS = 20;
const SHORT_MS = 50;
const PRINTED = 6;

const LOOK = `
  select coalesce(waiting.wait_event_type || ':' || waiting.wait_event, 'nothing') as cause,
    (extract(epoch from clock_timestamp() - waiting.query_start) * 1000)::float8 as ms,
    coalesce((select left(regexp_replace(holder.query, '(\\s|--[^\\n]*)+', ' ', 'g'), 90)
      from pg_stat_activity holder where holder.pid = any (pg_blocking_pids(waiting.pid))
        and holder.application_name <> waiting.application_name limit 1), '') as holder
  from pg_stat_activity waiting
  where waiting.application_name = $1 and waiting.state = 'active'
    and waiting.query_start < clock_timestamp() - interval '${SHORT_MS} ms'`;

interface Wait {
  cause: string;
  holder: string;
  ms: number;
}

/** Statements of that application; the superuser sees what others do. */
export async function watchWaits(
  superuserUrl: string,
  application: string,
): Promise<{ stop(): Promise<void> }> {
  const longest = new Map<string, Wait>();
  const client = new pg.Client(superuserUrl);
  await client.connect();
  let isOver = false;

  async function look() {
    while (!isOver) {
      const { rows } = await client.query<Wait>(LOOK, [application]);
      for (const wait of rows) {
        const key = `${wait.cause} ${wait.holder}`;
        if (wait.ms > (longest.get(key)?.ms ?? 0)) longest.set(key, wait);
      }
      await pause(EVERY_MS);
    }
  }

  const looking = look();
  return {
    stop: async () => {
      isOver = true;
      await looking;
      await client.end();
      const found = [...longest.values()].sort((a, b) => b.ms - a.ms).slice(0, PRINTED);
      for (const { cause, holder, ms } of found) {
        const behind = holder === "" ? "" : `, behind: ${holder}`;
        process.stdout.write(
          `a write took ${ms.toFixed(0)} ms or more, waiting for ${cause}${behind}\n`,
        );
      }
    },
  };
}
