// A real Redis (or Valkey, which is the same thing for us) as a child process, from the program the system has. It
// keeps nothing: what is in it goes when it goes. It listens on loopback only. Ctrl-C reaches us, not it; when our
// process ends without a word, a guard ends it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { endWithUs } from "./end-with-us.ts";
import { freePort, requireFreePort } from "./free-port.ts";

const HOST = "127.0.0.1";
const PROGRAMS = ["redis-server", "valkey-server"];
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 20;
const SAID_CHARS_MAX = 4_000;

export interface RedisOptions {
  /** Absent or 0: a free one. */
  port?: number;
}

export interface Redis {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Stands still but looks alive, as a server behind a broken network does. */
  freeze(): void;
  thaw(): void;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

/** Why none can be started on this machine; undefined when one can. */
export const missingRedis = (): string | undefined =>
  redisProgram() === undefined ? `no ${PROGRAMS.join(" or ")} on the path` : undefined;

const redisProgram = (): string | undefined =>
  PROGRAMS.find((name) => {
    const { status } = spawnSync(name, ["--version"], {
      stdio: "ignore",
      timeout: PROBE_TIMEOUT_MS,
    });
    return status === 0;
  });

export const startRedis = async (options: RedisOptions = {}): Promise<Redis> => {
  const program = redisProgram();
  if (program === undefined) throw new Error(`Redis cannot be started: ${missingRedis()}`);
  const port = options.port ? await requireFreePort(options.port, HOST) : await freePort(HOST);
  const child = spawn(program, argumentsOf(port), {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
    cwd: "/",
  });
  const release = child.pid === undefined ? () => {} : endWithUs(child.pid, "KILL");
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  }).finally(release);
  // Or a forgotten server would keep our process from ending.
  child.unref();
  (child.stdout as Socket | null)?.unref();
  await answering(child, port, exited);

  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    child.kill("SIGCONT"); // A frozen process takes no SIGTERM.
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  return {
    url: `redis://${HOST}:${port}`,
    port,
    pid: child.pid as number,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    exited,
  };
};

const argumentsOf = (port: number): string[] => [
  ...["--bind", HOST, "--port", `${port}`],
  ...["--save", "", "--appendonly", "no"],
];

/** Resolves at the first answer; rejects with what the process said when it gives up. */
const answering = async (child: ChildProcess, port: number, exited: Promise<void>) => {
  let said = "";
  let ended = false;
  child.once("error", (error) => {
    said = error.message;
  });
  child.stdout?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-SAID_CHARS_MAX);
  });
  void exited.then(() => {
    ended = true;
  });
  const untilMs = Date.now() + START_TIMEOUT_MS;
  while (!ended && Date.now() < untilMs) {
    if (await answersPing(port)) return;
    await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
  }
  child.kill("SIGKILL");
  const reason = ended ? said.trim().split("\n").at(-1) : "it does not answer";
  throw new Error(`Redis did not start: ${reason || "it ended without a word"}`);
};

const answersPing = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: HOST, port }, () => socket.write("PING\r\n"));
    socket.setTimeout(PROBE_TIMEOUT_MS, () => socket.destroy());
    socket.once("data", (answer: Buffer) => {
      resolve(answer.toString().startsWith("+PONG"));
      socket.destroy();
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(false));
  });
