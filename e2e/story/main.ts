// What `helm test` runs: the story with a project's keys, or with those of a project made for this run.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runStory } from "./story.ts";

const { env } = process;
function say(line: string) {
  return void process.stdout.write(`${line}\n`);
}

function getKeys(): { secretKey: string; publishableKey: string } {
  const { STORY_SECRET_KEY: secretKey, STORY_PUBLISHABLE_KEY: publishableKey } = env;
  if (secretKey && publishableKey) return { secretKey, publishableKey };
  if (env.STORY_SECRET_KEY_FROM) {
    throw new Error(
      `no keys: look at ${env.STORY_SECRET_KEY_FROM} and ${env.STORY_PUBLISHABLE_KEY_FROM}`,
    );
  }
  const command = fileURLToPath(new URL("create-project.js", import.meta.url));
  const made = execFileSync(process.execPath, [command, "--name", "Installation test", "--json"], {
    encoding: "utf8",
    timeout: 30_000,
  });
  const { projectId, secretKey: secret, publishableKey: publishable } = JSON.parse(made);
  say(`project ${projectId} made for this test`);
  return { secretKey: secret, publishableKey: publishable };
}

try {
  const { paymentId, status } = await runStory({
    baseUrl: env.STORY_URL ?? "",
    ...getKeys(),
    chainId: Number(env.STORY_CHAIN_ID ?? 0),
    developmentRpcUrl: env.STORY_DEVELOPMENT_RPC_URL ?? "",
    say,
  });
  say(`the story went well: ${paymentId} is ${status}`);
} catch (error) {
  process.stderr.write(`the story failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
