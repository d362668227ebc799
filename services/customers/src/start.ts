import { openListedDatabase } from "@pay/database";
import { type Bus, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import type { CustomersConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { customersService } from "./service.ts";

export async function startCustomers(
  config: CustomersConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> {
  const { db, lists } = await openListedDatabase({
    service: "customers",
    config,
    home: new URL("..", import.meta.url),
    runtime,
  });
  const deps: Deps = {
    db,
    prisma: new PrismaClient({ adapter: db.adapter }),
    lists,
    clock: runtime.clock,
    relay: startRelay({ db, bus, runtime }),
  };
  return serve({
    runtime,
    port: config.CUSTOMERS_GRPC_PORT,
    services: [implement(CustomersService, customersService(deps))],
  });
}
