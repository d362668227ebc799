// Each service as a process of its own, on ports that stay the same while it is killed and started again.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithUs, isTaken, PortTaken } from "@pay/embedded";
import type { Environment } from "./parts.ts";
import type { ServiceName } from "./service-names.ts";

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

export interface Child {
  readonly name: ServiceName;
  readonly pid: number;
  /** Address of its /livez, /readyz and /metrics. */
  readonly adminUrl: string;
  readonly environment: Environment;
  /** SIGTERM, then waits; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, then waits. */
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

function getMainPath(name: ServiceName): string {
  return fileURLToPath(new URL(`../../services/${name}/src/main.ts`, import.meta.url));
}

/** Options that its image also sets: sizes of the process's memory. */
export function buildEnvironment(name: ServiceName): Environment {
  const file = new URL(`../../services/${name}/package.json`, import.meta.url);
  return (
    (JSON.parse(readFileSync(file, "utf8")) as { environment?: Environment }).environment ?? {}
  );
}

/** Says which port a service is to serve on. */
export function portVariable(name: ServiceName): string {
  return name === "gateway" ? "PORT" : `${name.toUpperCase()}_GRPC_PORT`;
}

interface Options {
  onLine?: (name: ServiceName, line: string) => void;
  /** The program, where it is not the one in this tree. */
  main?: string;
}

/** Starts a service and waits until it says that it is ready; where it ends because a port is taken, PortTaken. */
export async function startChild(
  name: ServiceName,
  environment: Environment,
  adminPort: number,
  { onLine = () => {}, main = getMainPath(name) }: Options = {},
): Promise<Child> {
  const own: Environment = { ...environment, ADMIN_PORT: `${adminPort}` };
  const child = spawn(process.execPath, [main], {
    env: { ...buildEnvironment(name), ...own },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: Ctrl-C reaches this process alone, which then stops the services in their order.
    detached: true,
  });
  // The service always ends with this process.
  const release = endWithUs(child.pid as number, "TERM");
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve)).finally(
    release,
  );
  for (const stream of [child.stdout, child.stderr]) forward(stream, (line) => onLine(name, line));
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  await ready(name, adminUrl, exited).catch(async (error: Error) => {
    child.kill("SIGKILL");
    await exited;
    for (const port of [adminPort, Number(own[portVariable(name)])]) {
      if (port > 0 && (await isTaken(port))) throw new PortTaken(port);
    }
    throw error;
  });
  return {
    name,
    pid: child.pid as number,
    adminUrl,
    environment: own,
    exited,
    stop: () => end(child, exited),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function end(child: ChildProcess, exited: Promise<number | null>) {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  const code = await exited;
  clearTimeout(timer);
  return code;
}

function forward(stream: NodeJS.ReadableStream, say: (line: string) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) say(line);
  });
}

async function ready(
  name: ServiceName,
  adminUrl: string,
  exited: Promise<number | null>,
): Promise<void> {
  let code: number | null | undefined;
  void exited.then((value) => {
    code = value;
  });
  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until) {
    if (code !== undefined) throw new Error(`${name} ended while it started (exit code ${code})`);
    const answer = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2_500) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${name} was not ready within ${READY_TIMEOUT_MS / 1_000} s`);
}
