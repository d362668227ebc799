import type { Database, Lists } from "@pay/database";
import type { Clock, Log } from "@pay/process";
import type { ChainsService, PaymentsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { IsServiceSigned } from "./domain/signed-wallets.ts";
import type { PrismaClient } from "./generated/prisma/client.ts";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  lists: Lists;
  /** For cold statements that read or write one table. */
  prisma: PrismaClient;
  payments: Client<typeof PaymentsService>;
  chains: Client<typeof ChainsService>;
  clock: Clock;
  log: Log;
  /** Lower case. A refund goes there only by an explicit request. */
  sharedAddresses: ReadonlySet<string>;
  isServiceSigned: IsServiceSigned;
  /** How long an address is in the address book before settlements may go there. */
  destinationDelayMs: number;
  relay: { wake(): void };
}
