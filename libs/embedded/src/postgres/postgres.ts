// A real PostgreSQL server as a child process, from the binaries of an npm package. It keeps its data across
// starts and crashes, and everything acknowledged is on disk. It listens on loopback only and asks for passwords.
// When our process ends without stopping it, a guard stops it, and when that fails too the next start stops the server
// that still runs on the same data. Data another living process uses is never touched.
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "../processes/child.ts";
import { type ChildServer, createHandle, type StopStep } from "../processes/handle.ts";
import { describeProcess, untilGone } from "../processes/orphan.ts";
import { onPort, PortTaken, saysPortTaken } from "../processes/port.ts";
import { type Account, accountFor } from "./postgres-account.ts";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries.ts";
import { prepareData, readPasswords, SERVER_ENV, SUPERUSER } from "./postgres-data.ts";
import { createRoleAndDatabase } from "./postgres-role.ts";

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 120_000;
const LEFTOVER_TIMEOUT_MS = 15_000;
const LEFTOVER_PAUSE_MS = 100;
const POLL_MS = 20;
// Fast shutdown first: running transactions are undone, everything committed is written.
const STOP_STEPS: readonly StopStep[] = [
  { signal: "SIGINT", waitMs: 10_000 },
  { signal: "SIGQUIT", waitMs: 3_000 },
];

export interface PostgresOptions {
  /** The same folder again is the same data again. */
  dataDir: string;
  /** Absent or 0: a free one. */
  port?: number;
  /** More of the server's own settings, e.g. max_connections. */
  settings?: Readonly<Record<string, string | number>>;
  log?: (line: string) => void;
}

export interface Postgres extends ChildServer {
  readonly port: number;
  readonly dataDir: string;
  /** An address with its password; the superuser's unless a role is named. */
  url(database?: string, role?: string): string;
  /** A database and a role of one name, made when missing; answers the address for that role. */
  provide(name: string): Promise<string>;
}

export function startPostgres(options: PostgresOptions): Promise<Postgres> {
  return onPort(options.port, (port) => startPostgresOn(options, port));
}

/** One try, on that port. */
export async function startPostgresOn(options: PostgresOptions, port: number): Promise<Postgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await postgresBinaries();
  try {
    const account = await accountFor(dataDir, binaries.postgres);
    await prepareData(dataDir, binaries.initdb, account);
    await endLeftover(dataDir);
    const getPassword = await readPasswords(dataDir);
    const handle = await launchUntilReady({ options, dataDir, binaries, account, port });
    return describe({ handle, port, dataDir, getPassword: getPassword });
  } catch (error) {
    if (error instanceof PortTaken) throw error;
    throw new Error(`PostgreSQL did not start on ${dataDir}: ${getReason(error)}`, {
      cause: error,
    });
  }
}

function getReason(error: unknown): string {
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
}

interface Started {
  handle: ChildServer;
  port: number;
  dataDir: string;
  getPassword: (role: string) => string;
}

function describe({ handle, port, dataDir, getPassword }: Started): Postgres {
  function url(database: string = SUPERUSER, role: string = SUPERUSER) {
    return `postgres://${encodeURIComponent(role)}:${getPassword(role)}@${HOST}:${port}/${encodeURIComponent(database)}`;
  }

  return {
    ...handle,
    port,
    dataDir,
    url,
    provide: async (name) => {
      await createRoleAndDatabase(url(), {
        role: name,
        password: getPassword(name),
        database: name,
      });
      return url(name, name);
    },
  };
}

interface Launch {
  options: PostgresOptions;
  dataDir: string;
  binaries: PostgresBinaries;
  account: Account;
  port: number;
}

/** Who started it is written in its command line: the one place that is there from its first to its last moment. */
function ownerMark(pid: number) {
  return `cluster_name=owner:${pid}:`;
}

function launch({ options, dataDir, binaries, account, port }: Launch): Child {
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
    "-D",
    dataDir,
    "-c",
    ownerMark(process.pid),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  return startChild({
    file: command.file,
    args: command.args,
    options: { ...command.options, cwd: "/", env: SERVER_ENV },
    stopSteps: STOP_STEPS,
    orphanSignal: "INT",
    onLine: options.log,
  });
}

// After a crash the processes of the last server may take a moment to notice; until then the data counts as in use.
const LEFTOVER = /shared memory block .* still in use|lock file/;

/** Tries again only where the reason passes by itself. */
async function launchUntilReady(launchOptions: Launch): Promise<ChildServer> {
  const { dataDir, port } = launchOptions;
  const untilMs = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    const child = launch(launchOptions);
    const notReady = await child.untilReady({
      probe: () => requireReady(child, dataDir),
      timeoutMs: START_TIMEOUT_MS,
      pauseMs: POLL_MS,
    });
    if (notReady === undefined) return child.handle;
    if (!notReady.ended) throw notReady.fault;
    const output = child.output();
    if (saysPortTaken(output)) throw new PortTaken(port);
    if (!LEFTOVER.test(output) || Date.now() > untilMs) throw new Error(reasonIn(output));
    await pause(LEFTOVER_PAUSE_MS);
  }
}

/** The server writes "ready" into its pid file when it takes connections. */
async function requireReady({ pid }: Child, dataDir: string): Promise<void> {
  const file = await readPidFile(dataDir);
  if (file.pid === pid && file.state === "ready") return;
  throw new Error(`it was not ready within ${START_TIMEOUT_MS / 1000} s`);
}

const PID_FILE = "postmaster.pid";

async function readPidFile(dataDir: string): Promise<{ pid?: number; state?: string }> {
  const text = await readFile(join(dataDir, PID_FILE), "utf8").catch(() => "");
  const lines = text.split("\n");
  return text === "" ? {} : { pid: Number(lines[0]), state: lines[7]?.trim() ?? "" };
}

function reasonIn(output: string): string {
  const lines = output.split("\n").filter((line) => line !== "");
  const telling = lines.filter((line) => /FATAL|PANIC|DETAIL|HINT/.test(line)).slice(0, 3);
  const named = telling.map((line) => line.replace(/^.*?(?=FATAL|PANIC|DETAIL|HINT)/, ""));
  return (named.length > 0 ? named : lines.slice(-3)).join("; ") || "it ended without output";
}

/** Stops a server that its owner left behind on this data; refuses while the owner runs. */
async function endLeftover(dataDir: string): Promise<void> {
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
  await createHandle({ pid, exited: untilGone(pid, dataDir), stopSteps: STOP_STEPS }).stop();
}
