// The operator's command for a new project.
import { openDatabase } from "@pay/database";
import {
  CommandFault,
  type Identity,
  type Lifecycle,
  readIdentity,
  readRunFile,
} from "@pay/process";
import { WebhooksService } from "@pay/proto";
import { connect } from "@pay/rpc";
import { isId } from "@pay/values";
import { z } from "zod";
import { NEWEST_VERSION } from "../pipeline/versions.ts";
import { type CreatedProject, createProject } from "../projects/create-project.ts";
import {
  currentPepper,
  type Env,
  type Output,
  readOptions,
  runCommand,
  withLife,
} from "./command.ts";

const USAGE =
  "usage: npm run projects:create -- --name NAME [--id ID] [--variant primary|b] [--test-keys] [--json]";
const NAME_LENGTH_MAX = 100;

const VARIABLES = "GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER and WEBHOOKS_ADDRESS";

const runFile = z.object({
  baseUrl: z.string(),
  gatewayDatabaseUrl: z.string(),
  gatewayKeyPepper: z.string(),
  webhooksAddress: z.string(),
  gatewayCallerTokens: z.string(),
  chainRpcUrl: z.string(),
  chainId: z.number(),
  tokenAddress: z.string(),
});

type Surroundings = {
  [K in keyof z.infer<typeof runFile>]: z.infer<typeof runFile>[K] | null;
} & Pick<z.infer<typeof runFile>, "gatewayDatabaseUrl" | "gatewayKeyPepper" | "webhooksAddress">;

/** The exit code. */
export function runOperator(args: string[], env: Env, output: Output): Promise<number> {
  return runCommand(
    { name: "projects:create", output, failed: "the project could not be created" },
    async () => {
      const { json, ...wanted } = readArguments(args);
      const surroundings = makeSurroundings(env);
      const created = await withLife(identityFrom(surroundings, env), (life) =>
        create(surroundings, wanted, life),
      );
      const { baseUrl, chainRpcUrl, chainId, tokenAddress } = surroundings;
      return { result: { baseUrl, ...created, chainRpcUrl, chainId, tokenAddress }, json };
    },
  );
}

interface Wanted {
  id: string | undefined;
  name: string;
  testKeys: boolean;
  variant: "primary" | "b" | null;
}

function readArguments(args: string[]): Wanted & { json: boolean } {
  const options = {
    id: { type: "string" },
    name: { type: "string" },
    variant: { type: "string" },
    "test-keys": { type: "boolean" },
    json: { type: "boolean" },
  } as const;
  const values = readOptions(args, options, USAGE);
  const name = values.name?.normalize("NFC").trim() ?? "";
  if (name === "" || [...name].length > NAME_LENGTH_MAX) {
    throw new CommandFault(`--name must be 1 to ${NAME_LENGTH_MAX} characters; ${USAGE}`);
  }
  const { id } = values;
  if (id !== undefined && !isId("proj", id)) {
    throw new CommandFault(`--id must be the id of a project, e.g. proj_…; ${USAGE}`);
  }
  const { variant = null } = values;
  if (variant !== null && variant !== "primary" && variant !== "b") {
    throw new CommandFault(`--variant must be primary or b; ${USAGE}`);
  }
  const { json = false, "test-keys": testKeys = false } = values;
  return { id, name, variant, testKeys, json };
}

function makeSurroundings(env: Env): Surroundings {
  const { GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER, WEBHOOKS_ADDRESS, PUBLIC_URL } = env;
  if (GATEWAY_DATABASE_URL && GATEWAY_KEY_PEPPER && WEBHOOKS_ADDRESS) {
    return {
      baseUrl: PUBLIC_URL || null,
      gatewayDatabaseUrl: GATEWAY_DATABASE_URL,
      gatewayKeyPepper: GATEWAY_KEY_PEPPER,
      webhooksAddress: WEBHOOKS_ADDRESS,
      gatewayCallerTokens: env.GATEWAY_CALLER_TOKENS || null,
      chainRpcUrl: null,
      chainId: null,
      tokenAddress: null,
    };
  }
  return readRunFile(env, runFile, VARIABLES);
}

function create(from: Surroundings, wanted: Wanted, life: Lifecycle): Promise<CreatedProject> {
  const { pool } = openDatabase({
    url: from.gatewayDatabaseUrl,
    poolMax: 1,
    runtime: life,
    applicationName: "projects:create",
  });
  const webhooks = connect(WebhooksService, from.webhooksAddress, life);
  const pepper = currentPepper(from.gatewayKeyPepper);
  return createProject(
    { pool, webhooks, pepper, clock: life.clock },
    { ...wanted, apiVersion: NEWEST_VERSION },
  );
}

/** The command does work of the gateway, so it calls other services as the gateway. */
function identityFrom({ gatewayCallerTokens }: Surroundings, { RPC_TLS_DIR }: Env): Identity {
  return readIdentity("gateway", gatewayCallerTokens === null ? [] : ["gateway"], {
    GATEWAY_CALLER_TOKENS: gatewayCallerTokens ?? undefined,
    RPC_TLS_DIR,
  });
}
