import type { Database } from "@pay/database";
import type { SealingKeys } from "./domain/sealing.ts";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  db: Database;
  sealingKeys: SealingKeys;
}
