import { fileURLToPath } from "node:url";

export { type CustomersConfig, customersConfig } from "./config.ts";
export { startCustomers } from "./start.ts";

/** Where the service's schema and migrations lie, for whoever prepares its database. */
export const customersSchema = {
  schemaPath: fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url)),
  migrationsPath: fileURLToPath(new URL("../prisma/migrations", import.meta.url)),
};
