import type { Database, Lists } from "@pay/database";
import type { Clock } from "@pay/process";
import type { PrismaClient } from "./generated/prisma/client.ts";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  prisma: PrismaClient;
  lists: Lists;
  clock: Clock;
  relay: { wake(): void };
}
