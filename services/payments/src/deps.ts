import type { Database } from "@pay/database";
import type { Clock } from "@pay/process";
import type { ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { Catalog } from "./catalog.ts";
import type { SecretKeys } from "./domain/client-secret.ts";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  db: Database;
  chains: Client<typeof ChainsService>;
  catalog: Catalog;
  clock: Clock;
  secretKeys: SecretKeys;
  relay: { wake(): void };
}
