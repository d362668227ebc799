// Each service as a process of its own, on ports that stay the same while it is killed and started again.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endWithUs } from "@pay/embedded";
import type { Environment } from "./parts.ts";
import type { ServiceName } from "./service-names.ts";

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

export interface Child {
  readonly name: ServiceName;
  readonly pid: number;
  /** Address of its /livez, /readyz and /metrics. */
  readonly sideUrl: string;
  readonly environment: Environment;
  /** SIGTERM, then waits; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, then waits. */
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

const mainOf = (name: ServiceName): string =>
  fileURLToPath(new URL(`../../services/${name}/src/main.ts`, import.meta.url));

/** Starts a service and waits until it says that it is ready. */
export const startChild = async (
  name: ServiceName,
  environment: Environment,
  sidePort: number,
  onLine: (name: ServiceName, line: string) => void = () => {},
): Promise<Child> => {
  const own = { ...environment, SIDE_PORT: `${sidePort}` };
  const child = spawn(process.execPath, [mainOf(name)], {
    env: own,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // However this process ends, and even if the start below fails, the service does not outlive it.
  const release = endWithUs(child.pid as number, "TERM");
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve)).finally(
    release,
  );
  for (const stream of [child.stdout, child.stderr]) forward(stream, (line) => onLine(name, line));
  const sideUrl = `http://127.0.0.1:${sidePort}`;
  await ready(name, sideUrl, exited);
  return {
    name,
    pid: child.pid as number,
    sideUrl,
    environment: own,
    exited,
    stop: () => end(child, exited),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

const end = async (child: ChildProcess, exited: Promise<number | null>) => {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  const code = await exited;
  clearTimeout(timer);
  return code;
};

const forward = (stream: NodeJS.ReadableStream, say: (line: string) => void): void => {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) say(line);
  });
};

const ready = async (
  name: ServiceName,
  sideUrl: string,
  exited: Promise<number | null>,
): Promise<void> => {
  let code: number | null | undefined;
  void exited.then((value) => {
    code = value;
  });
  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until) {
    if (code !== undefined) throw new Error(`${name} ended while it started (exit code ${code})`);
    const answer = await fetch(`${sideUrl}/readyz`, { signal: AbortSignal.timeout(2_500) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${name} was not ready within ${READY_TIMEOUT_MS / 1_000} s`);
};
