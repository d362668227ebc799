// A real PostgreSQL server as a child process, from the binaries of an npm package. It keeps its data across
// starts and crashes, and everything acknowledged is on disk. It listens on loopback only and asks for passwords.
// Ctrl-C reaches us, not it; when our process ends without a word a guard stops it, and when that fails too the
// next start stops whatever is left on the same data. Data another living process uses is never touched.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { join, resolve } from "node:path";
import { endWithUs } from "./end-with-us.ts";
import { freePort, requireFreePort } from "./free-port.ts";
import { describeProcess } from "./orphan.ts";
import { type Account, accountFor } from "./postgres-account.ts";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries.ts";
import { prepareData, readPasswords, SERVER_ENV, SUPERUSER } from "./postgres-data.ts";
import { createRoleAndDatabase } from "./postgres-role.ts";
import { createSignals, type ServerSignals } from "./postgres-signals.ts";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 120_000;
const LEFTOVER_TIMEOUT_MS = 15_000;
const LEFTOVER_PAUSE_MS = 100;
const POLL_MS = 20;
const SAID_LINES_MAX = 40;

export interface PostgresOptions {
  /** The same folder again is the same data again. */
  dataDir: string;
  /** Absent or 0: a free one. */
  port?: number;
  /** More of the server's own settings, e.g. max_connections. */
  settings?: Readonly<Record<string, string | number>>;
  log?: (line: string) => void;
}

export interface Postgres extends ServerSignals {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** An address with its password; the superuser's unless a role is named. */
  url(database?: string, role?: string): string;
  /** A database and a role of one name, made when missing; answers the address for that role. */
  provide(name: string): Promise<string>;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

export const startPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const dataDir = resolve(options.dataDir);
  const binaries = await postgresBinaries();
  const fixedPort = options.port ? await requireFreePort(options.port, HOST) : undefined;
  try {
    const account = await accountFor(dataDir, binaries.postgres);
    await prepareData(dataDir, binaries.initdb, account);
    await endLeftover(dataDir);
    const passwordOf = await readPasswords(dataDir);
    const started = await launchUntilReady({ options, dataDir, binaries, account, fixedPort });
    return describe(started, dataDir, passwordOf);
  } catch (error) {
    throw new Error(`PostgreSQL did not start on ${dataDir}: ${reasonOf(error)}`, { cause: error });
  }
};

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    EACCES: "the folder may not be read or written by this account",
    EPERM: "the folder may not be read or written by this account",
    EROFS: "the file system is read only",
    ENOSPC: "the disk is full",
    ENOTDIR: "a part of the path is not a folder",
    ENOTEMPTY: "the folder is not empty and holds no PostgreSQL data",
  };
  return (code && known[code]) || message;
};

const describe = (
  { child, exited, port }: Started,
  dataDir: string,
  passwordOf: (role: string) => string,
): Postgres => {
  const pid = child.pid as number;
  const url = (database: string = SUPERUSER, role: string = SUPERUSER) =>
    `postgres://${encodeURIComponent(role)}:${passwordOf(role)}@${HOST}:${port}/${encodeURIComponent(database)}`;
  return {
    port,
    pid,
    dataDir,
    url,
    exited,
    ...createSignals(pid, exited),
    provide: async (name) => {
      await createRoleAndDatabase(url(), {
        role: name,
        password: passwordOf(name),
        database: name,
      });
      return url(name, name);
    },
  };
};

interface Launch {
  options: PostgresOptions;
  dataDir: string;
  binaries: PostgresBinaries;
  account: Account;
  fixedPort: number | undefined;
}

interface Started {
  child: ChildProcess;
  exited: Promise<void>;
  port: number;
}

/** Who started it is written in its command line: the one place that is there from its first to its last moment. */
const ownerMark = (pid: number) => `cluster_name=owner:${pid}:`;

const launch = ({ options, dataDir, binaries, account }: Launch, port: number) => {
  const settings: Record<string, string | number> = {
    listen_addresses: HOST,
    port,
    unix_socket_directories: "",
    max_connections: 200,
    fsync: "on",
    synchronous_commit: "on",
    // A refused statement is its caller's affair and may hold secrets; the server's own life is logged.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    timezone: "UTC",
    ...options.settings,
  };
  const command = account.command(binaries.postgres, [
    ...["-D", dataDir, "-c", ownerMark(process.pid)],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  const child = spawn(command.file, command.args, {
    ...command.options,
    cwd: "/",
    env: SERVER_ENV,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const release = child.pid === undefined ? () => {} : endWithUs(child.pid, "INT");
  const exited = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", () => done());
  }).finally(release);
  child.unref();
  (child.stderr as Socket | null)?.unref();
  return { child, exited, said: collectLines(child, options.log) };
};

const collectLines = (child: ChildProcess, log: ((line: string) => void) | undefined): string[] => {
  const said: string[] = [];
  child.once("error", (error) => said.push(error.message));
  let rest = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) log?.(line);
    said.push(...lines);
    said.splice(0, Math.max(0, said.length - SAID_LINES_MAX));
  });
  return said;
};

// After a crash the processes of the last server may take a moment to notice; until then the data counts as in use.
const LEFTOVER = /shared memory block .* still in use|lock file/;
const PORT_TAKEN = /could not create any TCP/;

/** Tries again only where the reason passes by itself: leftovers, and a free port that was taken meanwhile. */
const launchUntilReady = async (launchOptions: Launch): Promise<Started> => {
  const { dataDir, fixedPort } = launchOptions;
  const untilMs = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    const port = fixedPort ?? (await freePort(HOST));
    const { child, exited, said } = launch(launchOptions, port);
    if (await isReady(child, exited, dataDir)) return { child, exited, port };
    const passing = said.some(
      (line) => LEFTOVER.test(line) || (fixedPort === undefined && PORT_TAKEN.test(line)),
    );
    if (!passing || Date.now() > untilMs) throw new Error(reasonIn(said));
    await pause(LEFTOVER_PAUSE_MS);
  }
};

/** The server writes "ready" into its pid file when it takes connections. False when it ended before that. */
const isReady = async (child: ChildProcess, exited: Promise<void>, dataDir: string) => {
  const untilMs = Date.now() + START_TIMEOUT_MS;
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  while (!ended && Date.now() < untilMs) {
    const { pid, state } = await readPidFile(dataDir);
    if (pid === child.pid && state === "ready") return true;
    await pause(POLL_MS);
  }
  if (ended) return false;
  child.kill("SIGKILL");
  throw new Error(`it was not ready within ${START_TIMEOUT_MS / 1000} s`);
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

const PID_FILE = "postmaster.pid";

const readPidFile = async (dataDir: string): Promise<{ pid?: number; state?: string }> => {
  const text = await readFile(join(dataDir, PID_FILE), "utf8").catch(() => "");
  const lines = text.split("\n");
  return text === "" ? {} : { pid: Number(lines[0]), state: lines[7]?.trim() ?? "" };
};

const reasonIn = (said: string[]): string => {
  const telling = said.filter((line) => /FATAL|PANIC|DETAIL|HINT/.test(line)).slice(0, 3);
  const lines = telling.length > 0 ? telling : said.slice(-3);
  return (
    lines.map((line) => line.replace(/^.*?(?=FATAL|PANIC|DETAIL|HINT)/, "")).join("; ") ||
    "it ended without a word"
  );
};

/** Stops a server that its owner left behind on this data; refuses when the owner lives. */
const endLeftover = async (dataDir: string): Promise<void> => {
  const { pid } = await readPidFile(dataDir);
  if (pid === undefined) return;
  const running = await describeProcess(pid);
  if (running === undefined || !running.command.includes(dataDir)) {
    // The number may belong to another program by now, which must not count as "in use".
    return rm(join(dataDir, PID_FILE), { force: true });
  }
  if (running.command.includes(ownerMark(running.parent))) {
    throw new Error(`process ${running.parent} uses this data; stop it first`);
  }
  const exited = untilGone(pid, dataDir);
  await createSignals(pid, exited).stop();
};

const untilGone = async (pid: number, dataDir: string): Promise<void> => {
  while ((await describeProcess(pid))?.command.includes(dataDir)) await pause(POLL_MS);
};
