// The real service for a merchant's own tests: a child process with databases and a chain of its own, in a folder that
// goes when it stops. Nothing of it is a stand-in, so what passes here passes there.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPay, type Pay } from "../client.ts";
import { createTestChain, type TestChain } from "./test-chain.ts";

const READY_MS = 120_000;
const STOP_MS = 60_000;
const OUTPUT_MAX = 20_000;

export interface StartOptions {
  /** A clone of the service in which `npm run setup` has been run. */
  directory: string;
  /** Variables of the service, e.g. `RATE_LIMITS`. */
  env?: Record<string, string>;
  /** How long the start may take. */
  timeoutMs?: number;
}

/** Keys of test mode, a client with them, and the chain. */
export interface StartedPay extends TestChain {
  baseUrl: string;
  secretKey: string;
  publishableKey: string;
  chainId: number;
  tokenAddress: string;
  client: Pay;
  stop(): Promise<void>;
}

interface Credentials {
  baseUrl: string;
  testSecretKey: string;
  testPublishableKey: string;
  chainRpcUrl: string;
  chainId: number;
  tokenAddress: string;
}

export async function startPay({
  directory,
  env = {},
  timeoutMs = READY_MS,
}: StartOptions): Promise<StartedPay> {
  const folder = mkdtempSync(join(tmpdir(), "pay-testing-"));
  const child = launch(directory, folder, env);
  async function stop(): Promise<void> {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await isReady(child, timeoutMs);
    const text = readFileSync(join(folder, "credentials.json"), "utf8");
    const credentials = JSON.parse(text) as Credentials;
    const { baseUrl, testSecretKey: secretKey, testPublishableKey: publishableKey } = credentials;
    const { chainId, tokenAddress, chainRpcUrl } = credentials;
    const client = createPay({ baseUrl, secretKey, publishableKey });
    const chain = createTestChain({ baseUrl, publishableKey, chainRpcUrl, tokenAddress });
    return { baseUrl, secretKey, publishableKey, chainId, tokenAddress, client, ...chain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function launch(directory: string, folder: string, env: Record<string, string>): ChildProcess {
  const node = join(directory, "node_modules", ".bin", "node");
  return spawn(node, [join(directory, "standalone", "src", "main.ts")], {
    cwd: directory,
    env: { ...inherited(), ...env, DATA_DIR: folder, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What programs need to run; the settings of another installation in this environment are not those of a test. */
function inherited(): Record<string, string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the child gets what of this environment every program needs
  const { PATH, HOME, TMPDIR, TEMP, SystemRoot, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, TEMP, SystemRoot, NODE_COMPILE_CACHE };
}

function isReady(child: ChildProcess, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    function settle(fault?: string): void {
      clearTimeout(timer);
      if (fault === undefined) resolve();
      else reject(new Error(`${fault}\n${output}`));
    }

    const timer = setTimeout(() => settle("the service was not ready in time"), timeoutMs);
    child.once("error", (error) => settle(`the service could not start: ${error.message}`));
    child.once("exit", (code) => settle(`the service ended while it started (exit code ${code})`));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output = (output + chunk).slice(-OUTPUT_MAX);
        if (/^ready /m.test(output)) settle();
      });
    }
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGINT");
  });
}
