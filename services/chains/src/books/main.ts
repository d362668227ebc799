// Entry point of the command. The address of the database comes from the environment, as the service has it, or from the
// file that the local product writes when it is ready.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@pay/database";
import { createLifecycle, createLog } from "@pay/process";
import { z } from "zod";
import { CommandFault, readArguments, reportBooks } from "./report.ts";

const runFile = z.object({ databaseUrls: z.object({ chains: z.string() }) });

function databaseUrl(env: NodeJS.ProcessEnv): string {
  if (env.CHAINS_DATABASE_URL) return env.CHAINS_DATABASE_URL;
  const path = join(env.DATA_DIR || ".data", "run.json");
  try {
    return runFile.parse(JSON.parse(readFileSync(path, "utf8"))).databaseUrls.chains;
  } catch {
    throw new CommandFault(
      `${path} cannot be used; start the product first (npm start), or set CHAINS_DATABASE_URL`,
    );
  }
}

const runtime = createLifecycle({ service: "books", log: createLog("books", "silent") });
try {
  const asked = readArguments(process.argv.slice(2));
  const statementTimeoutMs = 60_000;
  const url = databaseUrl(process.env);
  const { pool } = openDatabase({ url, poolMax: 1, runtime, statementTimeoutMs });
  process.stdout.write(`${(await reportBooks(pool, asked)).join("\n")}\n`);
} catch (error) {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  process.stderr.write(`books: ${reason}\n`);
  process.exitCode = 1;
} finally {
  await runtime.stop();
}
