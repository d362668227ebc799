// Reads about all intents that have not ended, whatever their wallet.
import type { Pool } from "pg";
import { listOverdueIntents } from "../../generated/sql.ts";
import type { Intent } from "../domain/intent.ts";
import { toIntent } from "./intents.ts";

/** Those that were never signed, the oldest first. */
export async function listOverdue(
  pool: Pool,
  options: { before: Date; max: number },
): Promise<Intent[]> {
  return (await listOverdueIntents(pool, options)).map(toIntent);
}
