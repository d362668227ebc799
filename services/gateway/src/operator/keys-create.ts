// The operator's command for another unrestricted secret key of an existing project, when its own are lost or a mode
// has none yet.
import { randomUUIDv7 } from "node:crypto";
import { openDatabase, transaction } from "@pay/database";
import { CommandFault, readRunFile } from "@pay/process";
import { isId } from "@pay/values";
import { z } from "zod";
import { insertOperatorEntry } from "../audit/entries.ts";
import type { KeyMode } from "../keys/caller.ts";
import { newKey } from "../keys/new-key.ts";
import { insertKey, OPERATOR } from "../keys/storage.ts";
import {
  currentPepper,
  type Env,
  type Output,
  readOptions,
  runCommand,
  withLife,
} from "./command.ts";

const USAGE = "usage: npm run keys:create -- --project ID --mode live|test [--json]";

const runFile = z.object({ gatewayDatabaseUrl: z.string(), gatewayKeyPepper: z.string() });

/** The exit code. */
export function runKeysCreate(args: string[], env: Env, output: Output): Promise<number> {
  return runCommand(
    { name: "keys:create", output, failed: "the key could not be created" },
    async () => {
      const { project, mode, json } = readArguments(args);
      return { result: await create(makeSurroundings(env), { project, mode }), json };
    },
  );
}

function readArguments(args: string[]): { project: string; mode: KeyMode; json: boolean } {
  const {
    project = "",
    mode,
    json = false,
  } = readOptions(
    args,
    { project: { type: "string" }, mode: { type: "string" }, json: { type: "boolean" } },
    USAGE,
  );
  if (!isId("proj", project)) throw new CommandFault(`--project must be an id; ${USAGE}`);
  if (mode !== "live" && mode !== "test") {
    throw new CommandFault(`--mode must be live or test; ${USAGE}`);
  }
  return { project, mode, json };
}

function makeSurroundings(env: Env): z.infer<typeof runFile> {
  const { GATEWAY_DATABASE_URL, GATEWAY_KEY_PEPPER } = env;
  if (GATEWAY_DATABASE_URL && GATEWAY_KEY_PEPPER) {
    return { gatewayDatabaseUrl: GATEWAY_DATABASE_URL, gatewayKeyPepper: GATEWAY_KEY_PEPPER };
  }
  return readRunFile(env, runFile, "GATEWAY_DATABASE_URL and GATEWAY_KEY_PEPPER");
}

function create(
  from: z.infer<typeof runFile>,
  { project: projectId, mode }: { project: string; mode: KeyMode },
) {
  return withLife(undefined, async (life) => {
    const { pool } = openDatabase({
      url: from.gatewayDatabaseUrl,
      poolMax: 1,
      runtime: life,
      applicationName: "keys:create",
    });
    const key = newKey({ type: "secret", mode }, currentPepper(from.gatewayKeyPepper));
    const maker = { projectId, actor: OPERATOR };
    const now = life.clock.now();
    const requestId = randomUUIDv7();
    const entry = {
      projectId,
      mode,
      action: "projects.keys.create",
      targetId: key.id,
      changes: { type: { after: key.type }, mode: { after: mode } },
      requestId,
    };
    await transaction(pool, async (tx) => {
      const made = await insertKey(tx, maker, key, { at: now, requestId });
      if (made === undefined) throw new CommandFault(`there is no project ${projectId}`);
      await insertOperatorEntry(tx, entry, now);
    });
    return { projectId, keyId: key.id, mode, secretKey: key.text };
  });
}
