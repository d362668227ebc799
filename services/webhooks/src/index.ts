import { fileURLToPath } from "node:url";

export { type WebhooksConfig, webhooksConfig } from "./config.ts";
export { EVENT_TYPES } from "./domain/body.ts";
export { type Scheme, verifyWebhook } from "./domain/signature.ts";
export { startWebhooks, type WebhooksNeeds } from "./start.ts";

/** Where the service's schema and migrations lie, for whoever prepares its database. */
export const webhooksSchema = {
  schemaPath: fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url)),
  migrationsPath: fileURLToPath(new URL("../prisma/migrations", import.meta.url)),
};
