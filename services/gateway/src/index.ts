import { fileURLToPath } from "node:url";

export { type GatewayConfig, gatewayConfig } from "./config.ts";
export { type CreatedProject, createProject } from "./projects/create-project.ts";
export type { Route } from "./route.ts";
export { ROUTES } from "./routes/table.ts";
export { type Gateway, startGateway } from "./start.ts";

/** Where the schema of the gateway's database lies. */
export const migrations = {
  schemaPath: fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url)),
  migrationsPath: fileURLToPath(new URL("../prisma/migrations", import.meta.url)),
};
