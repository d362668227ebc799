// Second entry point of every service's image: brings the service's database to the schema of this build. When it
// cannot, it logs one line with the reason and exits with 1, and the job that started it starts it again.
import { fileURLToPath } from "node:url";
import { ConfigError, createLog, readConfig } from "@pay/process";
import { z } from "zod";
import { databaseConfig } from "../config.ts";
import { migrate } from "../migrate.ts";
import { findMigrationFiles } from "../migrations-folder.ts";
import { databaseFault, isDatabaseFault } from "../schema-version.ts";

const service = process.env.SERVICE ?? "";
const log = createLog(`${service}-migrate`, process.env.LOG_LEVEL || "info");

const prefix = service.toUpperCase();
const variable = `${prefix}_DATABASE_URL` as const;

try {
  const schema = z.object(databaseConfig(prefix));
  const url = String(readConfig(schema, process.env)[variable]);
  const folder = fileURLToPath(new URL("..", import.meta.url));
  await migrate({ url, ...findMigrationFiles(folder), log });
} catch (error) {
  if (error instanceof ConfigError) {
    for (const fault of error.faults) process.stderr.write(`${service}: ${fault}\n`);
  } else if (isDatabaseFault(error)) {
    const origin = process.env[`${variable}_FROM`];
    const where = origin === undefined ? variable : `${variable} (${origin})`;
    log.fatal({ err: error }, databaseFault(error, service, where));
  } else log.fatal({ err: error }, "the migrations could not be applied");
  process.exitCode = 1;
}
