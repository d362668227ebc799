// The operator's command for a new project. It works beside a running product: what it needs to find the inner
// parts comes from the environment, or from the file the local product writes when it is ready.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "@pay/database";
import { createLife, createLog, type Life, serviceTokensOf } from "@pay/process";
import { WebhooksService } from "@pay/proto";
import { connect } from "@pay/rpc";
import { z } from "zod";
import { type CreatedProject, createProject } from "../projects/create-project.ts";

const USAGE = "usage: npm run projects:create -- --name NAME [--json]";
const NAME_LENGTH_MAX = 100;

type Env = Record<string, string | undefined>;
type Output = { out(text: string): void; err(text: string): void };

/** A fault the operator can do something about, in one line. */
class OperatorFault extends Error {}

const runFile = z.object({
  baseUrl: z.string(),
  gatewayDatabaseUrl: z.string(),
  gatewayKeyPepper: z.string(),
  webhooksAddress: z.string(),
  serviceTokens: z.array(z.string()).readonly(),
  chainRpcUrl: z.string(),
  chainId: z.number(),
  tokenAddress: z.string(),
});

type Surroundings = {
  [K in keyof z.infer<typeof runFile>]: z.infer<typeof runFile>[K] | null;
} & Pick<
  z.infer<typeof runFile>,
  "gatewayDatabaseUrl" | "gatewayKeyPepper" | "webhooksAddress" | "serviceTokens"
>;

/** The exit code. */
export const runOperator = async (args: string[], env: Env, output: Output): Promise<number> => {
  try {
    const { name, json } = readArguments(args);
    const surroundings = surroundingsOf(env);
    const created = await withLife(surroundings.serviceTokens, (life) =>
      create(surroundings, name, life),
    );
    const { baseUrl, chainRpcUrl, chainId, tokenAddress } = surroundings;
    const result = { baseUrl, ...created, chainRpcUrl, chainId, tokenAddress };
    output.out(json ? `${JSON.stringify(result)}\n` : asLines(result));
    return 0;
  } catch (error) {
    output.err(`projects:create: ${lineOf(error)}\n`);
    return 1;
  }
};

const readArguments = (args: string[]): { name: string; json: boolean } => {
  let values: { name?: string; json?: boolean };
  try {
    ({ values } = parseArgs({
      args,
      options: { name: { type: "string" }, json: { type: "boolean" } },
    }));
  } catch {
    throw new OperatorFault(USAGE);
  }
  const name = values.name?.normalize("NFC").trim() ?? "";
  if (name === "" || [...name].length > NAME_LENGTH_MAX) {
    throw new OperatorFault(`--name must be 1 to ${NAME_LENGTH_MAX} characters; ${USAGE}`);
  }
  return { name, json: values.json ?? false };
};

const surroundingsOf = (env: Env): Surroundings => {
  const { GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER, WEBHOOKS_ADDRESS, PUBLIC_URL } = env;
  if (GATEWAY_DATABASE_URL && GATEWAY_KEY_PEPPER && WEBHOOKS_ADDRESS) {
    return {
      baseUrl: PUBLIC_URL || null,
      gatewayDatabaseUrl: GATEWAY_DATABASE_URL,
      gatewayKeyPepper: GATEWAY_KEY_PEPPER,
      webhooksAddress: WEBHOOKS_ADDRESS,
      serviceTokens: serviceTokensOf(env),
      chainRpcUrl: null,
      chainId: null,
      tokenAddress: null,
    };
  }
  return readRunFile(join(env.DATA_DIR || ".data", "run.json"));
};

const readRunFile = (path: string): Surroundings => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new OperatorFault(
      `${path} cannot be read; start the product first (npm start), or set ` +
        "GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER and WEBHOOKS_ADDRESS",
    );
  }
  const { success, data } = runFile.safeParse(content);
  if (!success) throw new OperatorFault(`${path} is incomplete; restart the product`);
  return data;
};

const create = (from: Surroundings, name: string, life: Life): Promise<CreatedProject> => {
  const { pool } = openDatabase({
    url: from.gatewayDatabaseUrl,
    poolMax: 1,
    runtime: life,
    applicationName: "projects:create",
  });
  const webhooks = connect(WebhooksService, from.webhooksAddress, life);
  const pepper = from.gatewayKeyPepper;
  return createProject({ pool, webhooks, pepper, clock: life.clock }, { name });
};

const withLife = async <T>(
  serviceTokens: readonly string[],
  act: (life: Life) => Promise<T>,
): Promise<T> => {
  const log = createLog("operator", "silent");
  const life = createLife({ service: "operator", log, serviceTokens });
  try {
    return await act(life);
  } finally {
    await life.stop();
  }
};

/** What is not known here, like the chain of another installation, is no line. */
const asLines = (result: Record<string, unknown>): string =>
  Object.entries(result)
    .flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(15)} ${value}\n`))
    .join("");

const lineOf = (error: unknown): string => {
  if (error instanceof OperatorFault) return error.message;
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return `the project could not be created (${message}${cause?.message ? `: ${cause.message}` : ""}); is the product running?`;
};
