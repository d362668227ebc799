import { fileURLToPath } from "node:url";

/** In the order of their start: a service starts before its callers. */
export const SERVICE_NAMES = [
  "chains",
  "customers",
  "payments",
  "refunds",
  "webhooks",
  "gateway",
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The folder of a service's schema and migrations. By path, so that preparing a database loads no service. */
export function getSchema(name: ServiceName): { schemaPath: string; migrationsPath: string } {
  const folder = new URL(`../../services/${name}/prisma/`, import.meta.url);
  return {
    schemaPath: fileURLToPath(new URL("schema.prisma", folder)),
    migrationsPath: fileURLToPath(new URL("migrations", folder)),
  };
}
