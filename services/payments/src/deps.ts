import type { Database } from "@pay/database";
import type { Clock, Log } from "@pay/process";
import type { ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { Pool } from "pg";
import type { Catalog } from "./catalog.ts";
import type { SecretKeys } from "./domain/client-secret.ts";
import type { Turns } from "./list-turns.ts";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  db: Database;
  /** Connections for lists alone, so that slow ones leave the others to creations and moves. */
  listPool: Pool;
  listTurns: Turns;
  chains: Client<typeof ChainsService>;
  catalog: Catalog;
  clock: Clock;
  log: Log;
  secretKeys: SecretKeys;
  /** In lower case. No refund goes there unless the merchant names the address. */
  sharedAddresses: ReadonlySet<string>;
  relay: { wake(): void };
}
