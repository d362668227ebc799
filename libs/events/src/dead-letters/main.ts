// Entry point of the command. The addresses of the databases come from the environment, as a service has them, or from
// the file of the local product.
import { openDatabase } from "@pay/database";
import { createLifecycle, createLog, readRunFile } from "@pay/process";
import { z } from "zod";
import { runDeadLetters } from "./command.ts";

const SERVICES = ["gateway", "payments", "customers", "refunds", "chains", "webhooks"] as const;

const runFile = z.object({ databaseUrls: z.record(z.string(), z.string()) });

function databaseUrls(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = SERVICES.flatMap((service) => {
    const url = env[`${service.toUpperCase()}_DATABASE_URL`];
    return url ? [[service, url] as const] : [];
  });
  if (given.length > 0) return Object.fromEntries(given);
  return readRunFile(env, runFile, "PAYMENTS_DATABASE_URL and the others").databaseUrls;
}

const log = createLog("dead-letters", "silent");
const runtime = createLifecycle({ service: "dead-letters", log });
try {
  const urls = databaseUrls(process.env);
  const lines = await runDeadLetters(process.argv.slice(2), Object.keys(urls), (service) =>
    openDatabase({ url: urls[service] ?? "", poolMax: 1, runtime }),
  );
  process.stdout.write(`${lines.join("\n")}\n`);
} catch (error) {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  process.stderr.write(`dead-letters: ${reason}\n`);
  process.exitCode = 1;
} finally {
  await runtime.stop();
}
