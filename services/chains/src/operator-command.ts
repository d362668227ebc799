// Runs an operator's command of chains. The address of the database comes from the environment, or from the file of the
// local product.
import { type Database, openDatabase } from "@pay/database";
import { createLifecycle, createLog, readRunFile } from "@pay/process";
import { z } from "zod";

const STATEMENT_TIMEOUT_MS = 60_000;

const runFile = z.object({ databaseUrls: z.object({ chains: z.string() }) });

type Env = Record<string, string | undefined>;

function databaseUrl(env: Env): string {
  if (env.CHAINS_DATABASE_URL) return env.CHAINS_DATABASE_URL;
  return readRunFile(env, runFile, "CHAINS_DATABASE_URL").databaseUrls.chains;
}

/** Prints the lines of a command, or its fault. */
export async function runCommand<Asked>(command: {
  name: string;
  args: string[];
  env: Env;
  read(args: string[]): Asked;
  act(db: Database, asked: Asked): Promise<string[]>;
}): Promise<void> {
  const { name, args, env } = command;
  const runtime = createLifecycle({ service: name, log: createLog(name, "silent") });
  try {
    const asked = command.read(args);
    const options = { poolMax: 1, runtime, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const db = openDatabase({ url: databaseUrl(env), ...options });
    process.stdout.write(`${(await command.act(db, asked)).join("\n")}\n`);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    process.stderr.write(`${name}: ${reason}\n`);
    process.exitCode = 1;
  } finally {
    await runtime.stop();
  }
}
