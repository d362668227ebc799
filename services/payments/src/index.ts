import { fileURLToPath } from "node:url";

export { type PaymentsConfig, paymentsConfig } from "./config.ts";
export { startPayments } from "./start.ts";

/** Where the service's schema and migrations lie, for whoever prepares its database. */
export const paymentsSchema = {
  schemaPath: fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url)),
  migrationsPath: fileURLToPath(new URL("../prisma/migrations", import.meta.url)),
};
