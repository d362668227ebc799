import type { Pool } from "pg";

// A key has one successor at most and replaces one at most, so two keys of one line end in the same key.
const ENDS = {
  name: "keys-ends-of-lines",
  text: `
    with recursive line as (
      select id as start, id, successor_id from api_keys where project_id = $1 and id = any($2::text[])
      union all
      select line.start, next.id, next.successor_id
      from line join api_keys next on next.project_id = $1 and next.id = line.successor_id
    )
    select count(*)::int as lines, count(distinct id)::int as ends from line where successor_id is null`,
};

/** Whether they are one key, or one was rolled into the other: both are in the same hands then. */
export async function isSameLine(
  pool: Pool,
  projectId: string,
  keyIds: readonly [string, string],
): Promise<boolean> {
  if (keyIds[0] === keyIds[1]) return true;
  const values = [projectId, keyIds];
  const { rows } = await pool.query<{ lines: number; ends: number }>({ ...ENDS, values });
  return rows[0]?.lines === 2 && rows[0].ends === 1;
}
