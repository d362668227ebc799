import type { Database } from "@pay/database";
import type { Clock } from "@pay/process";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  clock: Clock;
  relay: { wake(): void };
}
