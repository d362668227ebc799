import { awaitSchema, openDatabase, startIdempotencyPurge } from "@pay/database";
import { type Bus, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import type { CustomersConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { customersService } from "./service.ts";

export const startCustomers = async (
  config: CustomersConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> => {
  const db = openDatabase({
    url: config.CUSTOMERS_DATABASE_URL,
    poolMax: config.CUSTOMERS_DATABASE_POOL_MAX,
    applicationName: "customers",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "CUSTOMERS_DATABASE_URL" });
  const deps: Deps = {
    db,
    prisma: new PrismaClient({ adapter: db.adapter }),
    clock: runtime.clock,
    relay: startRelay({ db, bus, runtime }),
  };
  startIdempotencyPurge(db, runtime);
  return serve({
    runtime,
    port: config.CUSTOMERS_GRPC_PORT,
    services: [implement(CustomersService, customersService(deps))],
  });
};
