import type { Database, Lists } from "@pay/database";
import type { Clock } from "@pay/process";
import type { Box } from "@pay/sealing";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  lists: Lists;
  /** Seals the secrets of endpoints, each for the id of its endpoint. */
  box: Box;
  clock: Clock;
  /** Lets this worker look at once for deliveries that no worker has. */
  wakeBacklog: () => void;
}
