import type { Database } from "@pay/database";
import type { Clock, Log } from "@pay/process";
import type { PaymentsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { PrismaClient } from "./generated/prisma/client.ts";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  db: Database;
  prisma: PrismaClient;
  payments: Client<typeof PaymentsService>;
  clock: Clock;
  log: Log;
  /** Lower case: no refund goes there unasked. */
  sharedAddresses: ReadonlySet<string>;
  relay: { wake(): void };
}
