import type { Database } from "@pay/database";
import type { Clock } from "@pay/process";
import type { PrismaClient } from "./generated/prisma/client.ts";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  db: Database;
  prisma: PrismaClient;
  clock: Clock;
  relay: { wake(): void };
}
