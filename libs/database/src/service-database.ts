import type { Runtime } from "@pay/process";
import { type Database, type OpenOptions, openDatabase } from "./connect.ts";
import { keepPartitions } from "./partitions/keep-partitions.ts";
import { awaitSchema } from "./schema-version.ts";

/** The settings that `databaseConfig` reads. */
type Settings<Service extends string> = Record<`${Uppercase<Service>}_DATABASE_URL`, string> &
  Record<`${Uppercase<Service>}_DATABASE_POOL_MAX`, number>;

export interface ServiceDatabase<Service extends string>
  extends Partial<Omit<OpenOptions, "url" | "runtime" | "applicationName">> {
  service: Service;
  config: Settings<Service>;
  /** The package with the migrations. */
  home: URL;
  runtime: Runtime;
}

/**
 * The database of a service. It has the schema of this build when this resolves, and its partitions are kept from then
 * on.
 */
export async function openServiceDatabase<Service extends string>(
  options: ServiceDatabase<Service>,
): Promise<Database> {
  const { service, config, home, runtime, ...bounds } = options;
  const variable = `${service.toUpperCase()}_DATABASE_URL`;
  const settings = config as Readonly<Record<string, unknown>>;
  const db = openDatabase({
    url: settings[variable] as string,
    poolMax: settings[`${service.toUpperCase()}_DATABASE_POOL_MAX`] as number,
    applicationName: service,
    runtime,
    ...bounds,
  });
  await awaitSchema({ db, runtime, home, variable });
  await keepPartitions({ db, runtime });
  return db;
}
