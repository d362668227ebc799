import type { Database } from "@pay/database";
import type { Clock } from "@pay/process";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  db: Database;
  clock: Clock;
  relay: { wake(): void };
}
