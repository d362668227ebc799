import { fileURLToPath } from "node:url";

export { type RefundsConfig, refundsConfig } from "./config.ts";
export { startRefunds } from "./start.ts";

/** Where the service's schema and migrations lie, for whoever prepares its database. */
export const refundsSchema = {
  schemaPath: fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url)),
  migrationsPath: fileURLToPath(new URL("../prisma/migrations", import.meta.url)),
};
