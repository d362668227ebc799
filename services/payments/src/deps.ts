import type { Database, Lists } from "@pay/database";
import type { Clock, Log } from "@pay/process";
import type { ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { Catalog } from "./catalog.ts";
import type { SecretKeys } from "./domain/client-secret.ts";

/** Built once, in start.ts. */
export interface Deps {
  db: Database;
  lists: Lists;
  chains: Client<typeof ChainsService>;
  catalog: Catalog;
  clock: Clock;
  log: Log;
  secretKeys: SecretKeys;
  relay: { wake(): void };
}
