// Entry point of the command. The brokers come from the environment, as a service has them, or from the file of the
// local product.
import { once } from "node:events";
import { parseArgs } from "node:util";
import { CommandFault, createLog, readConfig, readRunFile } from "@pay/process";
import { z } from "zod";
import { kafkaConfig, kafkaSettings } from "../bus/kafka/config.ts";
import { findTopics, follow, USAGE } from "./follow.ts";

const runFile = z.object({ brokers: z.string().optional() });

function readSettings(env: NodeJS.ProcessEnv) {
  if (env.KAFKA_BROKERS) return kafkaSettings(readConfig(z.object(kafkaConfig), env));
  const { brokers } = readRunFile(env, runFile, "KAFKA_BROKERS");
  if (brokers === undefined) {
    throw new CommandFault(
      "the product runs without a broker; npm run start:distributed starts one, or set KAFKA_BROKERS",
    );
  }
  return { brokers: brokers.split(",") };
}

function readArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { "from-beginning": { type: "boolean" }, json: { type: "boolean" } },
    });
    const [action, name, ...more] = positionals;
    if (action !== "follow" || more.length > 0) throw new CommandFault(USAGE);
    const { "from-beginning": fromBeginning = false, json = false } = values;
    return { topics: findTopics(name), fromBeginning, json };
  } catch {
    throw new CommandFault(USAGE);
  }
}

try {
  const followed = readArguments(process.argv.slice(2));
  const stop = await follow(readSettings(process.env), followed, {
    print: (line) => process.stdout.write(`${line}\n`),
    log: createLog("events", "silent"),
  });
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await stop();
} catch (error) {
  process.stderr.write(`events: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
