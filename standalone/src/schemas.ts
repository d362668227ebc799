import { fileURLToPath } from "node:url";
import type { ServiceName } from "./service-names.ts";

/** The folder of a service's schema and migrations. By path, so that preparing a database loads no service. */
export function getSchema(name: ServiceName): { schemaPath: string; migrationsPath: string } {
  const folder = new URL(`../../services/${name}/prisma/`, import.meta.url);
  return {
    schemaPath: fileURLToPath(new URL("schema.prisma", folder)),
    migrationsPath: fileURLToPath(new URL("migrations", folder)),
  };
}
