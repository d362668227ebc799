import type { Queryable } from "@pay/database";
import { countKeyFamilies } from "../generated/sql.ts";

/** Whether they are one key, or one was rolled into the other: both are in the same hands then. */
export async function isSameKeyFamily(
  db: Queryable,
  projectId: string,
  ids: readonly [string, string],
): Promise<boolean> {
  if (ids[0] === ids[1]) return true;
  const [count] = await countKeyFamilies(db, { projectId, ids });
  return count?.keys === 2 && count.families === 1;
}
