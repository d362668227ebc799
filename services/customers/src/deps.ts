import type { Database, Lists } from "@pay/database";
import type { Clock } from "@pay/process";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  lists: Lists;
  clock: Clock;
  relay: { wake(): void };
}
