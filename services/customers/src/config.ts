import { databaseConfig } from "@pay/database";
import { variable } from "@pay/process";
import { z } from "zod";

export const customersConfig = z.object({
  ...databaseConfig("CUSTOMERS"),
  /** Port of the gRPC server; 0 picks a free one. */
  CUSTOMERS_GRPC_PORT: variable.port(50_051),
});

export type CustomersConfig = z.infer<typeof customersConfig>;
