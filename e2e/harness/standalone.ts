import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@pay/embedded";
import type { Credentials } from "@pay/standalone";

const MAINS = {
  standalone: fileURLToPath(new URL("../../standalone/src/main.ts", import.meta.url)),
  distributed: fileURLToPath(new URL("../../standalone/src/distributed.ts", import.meta.url)),
};
const READY_TIMEOUT_MS = 90_000;

export interface Running {
  readonly credentials: Credentials;
  readonly dataDir: string;
  readonly pid: number;
  /** Everything it has printed so far. */
  output(): string;
  /** Ctrl-C; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL: its children are left to themselves, as after a crash. */
  kill(): Promise<void>;
}

export const newDataDir = (): { path: string; remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "pay-e2e-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** The product as its user starts it, in one of its two local forms. */
export const startForm = async (
  form: keyof typeof MAINS,
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<Running> => {
  const { child, output, exited } = launchForm(form, dataDir, {
    PORT: `${await freePort()}`,
    ...environment,
  });
  await isReady(child, output, exited);
  const credentials = JSON.parse(
    readFileSync(join(dataDir, "credentials.json"), "utf8"),
  ) as Credentials;
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
};

/** Starts it without waiting, for stories about starts that fail. */
export const launchForm = (
  form: keyof typeof MAINS,
  dataDir: string,
  environment: Record<string, string>,
) => {
  const child = spawn(process.execPath, [MAINS[form]], {
    env: { ...process.env, DATA_DIR: dataDir, WEBHOOKS_ALLOW_HTTP: "1", ...environment },
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
};

const isReady = (child: ChildProcess, output: () => string, exited: Promise<number | null>) =>
  new Promise<void>((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`${why}\n${output()}`));
    };
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
