import type { Database, Lists } from "@pay/database";
import type { Clock } from "@pay/process";
import type { Box } from "@pay/sealing";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  lists: Lists;
  /** Encrypts the secrets of endpoints, each bound to the id of its endpoint. */
  box: Box;
  clock: Clock;
  /** The ids of all workers that send. */
  workers: () => readonly number[];
  /** Makes this worker claim deliveries at once. */
  wakeBacklog: () => void;
}
