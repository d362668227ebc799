// A real Redis (or Valkey, which is the same thing for us) as a child process, from the program the system has. It
// stores nothing on disk, so its content ends with it. It listens on loopback only.
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { startChild } from "../processes/child.ts";
import type { ChildServer } from "../processes/handle.ts";
import { onPort, PortTaken, saysPortTaken } from "../processes/port.ts";

const HOST = "127.0.0.1";
const PROGRAMS = ["redis-server", "valkey-server"];
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 20;

export interface RedisOptions {
  /** Absent or 0: a free one. */
  port?: number;
}

export interface Redis extends ChildServer {
  readonly url: string;
  readonly port: number;
}

/** Why none can be started on this machine; undefined when one can. */
export function missingRedis(): string | undefined {
  return redisProgram() === undefined ? `no ${PROGRAMS.join(" or ")} on the path` : undefined;
}

function redisProgram(): string | undefined {
  return PROGRAMS.find((name) => {
    const { status } = spawnSync(name, ["--version"], {
      stdio: "ignore",
      timeout: PROBE_TIMEOUT_MS,
    });
    return status === 0;
  });
}

export function startRedis(options: RedisOptions = {}): Promise<Redis> {
  return onPort(options.port, startRedisOn);
}

/** One try, on that port. */
export async function startRedisOn(port: number): Promise<Redis> {
  const program = redisProgram();
  if (program === undefined) throw new Error(`Redis cannot be started: ${missingRedis()}`);
  const child = startChild({
    file: program,
    args: buildArguments(port),
    options: { cwd: "/" },
    stopSteps: [{ signal: "SIGTERM", waitMs: STOP_TIMEOUT_MS }],
    orphanSignal: "KILL",
  });
  const notReady = await child.untilReady({
    probe: () => ping(port),
    timeoutMs: START_TIMEOUT_MS,
    pauseMs: PROBE_PAUSE_MS,
  });
  if (notReady === undefined) return { url: `redis://${HOST}:${port}`, port, ...child.handle };
  if (notReady.ended && saysPortTaken(child.output())) throw new PortTaken(port);
  const reason = notReady.ended ? child.output().trim().split("\n").at(-1) : notReady.fault.message;
  throw new Error(`Redis did not start: ${reason || "it ended without output"}`);
}

function buildArguments(port: number): string[] {
  return ["--bind", HOST, "--port", `${port}`, "--save", "", "--appendonly", "no"];
}

/** Resolves when the server answers. */
function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port }, () => socket.write("PING\r\n"));
    socket.setTimeout(PROBE_TIMEOUT_MS, () => socket.destroy());
    socket.once("data", (answer: Buffer) => {
      if (answer.toString().startsWith("+PONG")) resolve();
      socket.destroy();
    });
    socket.on("error", () => {});
    socket.once("close", () => reject(new Error("it does not answer")));
  });
}
