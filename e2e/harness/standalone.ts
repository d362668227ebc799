import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DemoCredentials } from "@pay/standalone";

const MAINS = {
  standalone: fileURLToPath(new URL("../../standalone/src/main.ts", import.meta.url)),
  distributed: fileURLToPath(new URL("../../standalone/src/distributed.ts", import.meta.url)),
};
/** Receivers of tests use plain http, which the distributed form accepts only with this variable. */
const SWITCHES = { standalone: {}, distributed: { WEBHOOKS_ALLOW_HTTP: "1" } };
const READY_TIMEOUT_MS = 240_000;
const STARTS_MAX = 3;

export interface Running {
  readonly credentials: DemoCredentials;
  readonly dataDir: string;
  readonly pid: number;
  /** Everything it has printed so far. */
  output(): string;
  /** Ctrl-C; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL: its child processes keep running, as after a crash. */
  kill(): Promise<void>;
}

export function newDataDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "pay-e2e-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The product as its user starts it, in one of its two local forms; on any port unless one is named. */
export async function startForm(
  form: keyof typeof MAINS,
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<Running> {
  for (let starts = 1; ; starts++) {
    try {
      return await startOnce(form, dataDir, { PORT: "0", ...environment });
    } catch (error) {
      // Another program took the port while the product started.
      if (starts === STARTS_MAX || !`${error}`.includes("is taken by another program")) throw error;
    }
  }
}

async function startOnce(
  form: keyof typeof MAINS,
  dataDir: string,
  environment: Record<string, string>,
): Promise<Running> {
  const { child, output, exited } = launchForm(form, dataDir, environment);
  await isReady(child, output, exited);
  const credentials = JSON.parse(
    readFileSync(join(dataDir, "credentials.json"), "utf8"),
  ) as DemoCredentials;
  return {
    credentials,
    dataDir,
    pid: child.pid as number,
    output,
    stop: () => {
      child.kill("SIGINT");
      return exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Starts it without waiting, for stories about starts that fail. */
export function launchForm(
  form: keyof typeof MAINS,
  dataDir: string,
  environment: Record<string, string>,
) {
  const child = spawn(process.execPath, [MAINS[form]], {
    env: { ...process.env, ...SWITCHES[form], DATA_DIR: dataDir, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, output: () => text, exited };
}

function isReady(child: ChildProcess, output: () => string, exited: Promise<number | null>) {
  return new Promise<void>((resolve, reject) => {
    function fail(why: string) {
      clearTimeout(timer);
      reject(new Error(`${why}\n${output()}`));
    }

    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail("the product was not ready in time");
    }, READY_TIMEOUT_MS);
    void exited.then((code) => fail(`the product ended while it started (exit code ${code})`));
    child.stdout?.on("data", () => {
      if (!/^ready /m.test(output())) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

const TIMEOUT_MS = 30_000;

/** The metrics that a process exposes on its admin port. */
export async function fetchMetrics(adminUrl: string): Promise<string> {
  const answer = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return answer.text();
}
