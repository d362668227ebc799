// A local EVM chain as a child process. When our process ends without a word a guard ends the child, which leaves
// its last state beside the saved one; a child that outlived even that is asked for its state and ended by the next
// start. A chain that another living process uses is never touched.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { dumpOf, saveState, startSaver, takeLastDump } from "./anvil-state.ts";
import { callNode } from "./dev-rpc.ts";
import { endWithUs } from "./end-with-us.ts";
import { freePort, requireFreePort } from "./free-port.ts";
import { endProcess, findChild, forgetChild, noteChild } from "./orphan.ts";

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const STDERR_CHARS_MAX = 4_000;
const DUMP_ONLY_AT_THE_END_SECONDS = 31_536_000;

export interface AnvilOptions {
  /** Where the chain is kept between starts; without it the chain lives in memory only. */
  stateFile?: string;
  /** Absent or 0: a free one. */
  port?: number;
  chainId?: number;
  /** Blocks also come on this beat, besides one per transaction; absent: only with transactions. */
  blockTimeSeconds?: number;
  /** Blocks from the head to `safe`; twice as many to `finalized`. */
  slotsInAnEpoch?: number;
  /** At most this much of the chain is lost to a kill. */
  saveIntervalMs?: number;
  log?: (line: string) => void;
}

export interface Anvil {
  readonly rpcUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Keeps the present state now. */
  save(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it without a last save, as a crash would. */
  kill(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

const PLATFORM_PACKAGES: Record<string, string> = {
  "darwin arm64": "anvil-darwin-arm64",
  "darwin x64": "anvil-darwin-amd64",
  "linux arm64": "anvil-linux-arm64",
  "linux x64": "anvil-linux-amd64",
  "win32 x64": "anvil-win32-amd64",
};

/** The binary npm installed for this machine, or an error that says what to do. */
export const anvilBinary = (platform = process.platform, arch: string = process.arch): string => {
  const name = PLATFORM_PACKAGES[`${platform} ${arch}`];
  if (name === undefined) throw new Error(`anvil has no build for ${platform} on ${arch}`);
  const require = createRequire(import.meta.url);
  try {
    const home = dirname(require.resolve(`@foundry-rs/${name}/package.json`));
    return join(home, "bin", platform === "win32" ? "anvil.exe" : "anvil");
  } catch {
    throw new Error(`package @foundry-rs/${name} is not installed: run npm ci`);
  }
};

/** Why no chain can be started on this machine; undefined when one can. */
export const missingAnvil = (): string | undefined => {
  try {
    return existsSync(anvilBinary()) ? undefined : "the binary of anvil is not there";
  } catch (error) {
    return (error as Error).message;
  }
};

export const startAnvil = async (options: AnvilOptions = {}): Promise<Anvil> => {
  const { stateFile, log = () => {} } = options;
  const binary = anvilBinary();
  if (stateFile !== undefined) {
    await mkdir(dirname(stateFile), { recursive: true });
    await endOrphan(stateFile, log);
    await takeLastDump(stateFile);
  }
  const port = options.port ? await requireFreePort(options.port) : await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  // A group of its own: Ctrl-C is for us, and the chain is there until we have stopped what uses it.
  const child = spawn(binary, argumentsOf(options, port), {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const release = child.pid === undefined ? () => {} : endWithUs(child.pid, "TERM");
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  }).finally(release);
  // The note comes before the first answer: a crash of ours in between must leave a trace too.
  if (stateFile !== undefined && child.pid !== undefined) {
    await noteChild(noteOf(stateFile), { pid: child.pid, owner: process.pid, port });
  }
  await answering(child, rpcUrl, exited);
  const pid = child.pid as number;
  if (stateFile === undefined) {
    const end = (signal: "SIGTERM" | "SIGKILL") => endChild(child, exited, signal);
    return {
      ...{ rpcUrl, port, pid, exited, save: async () => {} },
      stop: () => end("SIGTERM"),
      kill: () => end("SIGKILL"),
    };
  }
  const saver = startSaver({ rpcUrl, stateFile, intervalMs: options.saveIntervalMs ?? 500, log });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    await saver.stop();
    if (signal === "SIGTERM" && child.exitCode === null && child.signalCode === null) {
      await saver.save().catch((error: Error) => log(`no last save: ${error.message}`));
    }
    await endChild(child, exited, signal);
    await takeLastDump(stateFile);
    await forgetChild(noteOf(stateFile));
  };
  return {
    ...{ rpcUrl, port, pid, exited, save: saver.save },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
};

const noteOf = (stateFile: string) => `${stateFile}.pid`;

const argumentsOf = (options: AnvilOptions, port: number): string[] => {
  const { stateFile, chainId = 31_337, blockTimeSeconds, slotsInAnEpoch } = options;
  return [
    ...["--host", "127.0.0.1", "--port", `${port}`, "--chain-id", `${chainId}`, "--quiet"],
    ...(blockTimeSeconds ? ["--block-time", `${blockTimeSeconds}`, "--mixed-mining"] : []),
    ...(slotsInAnEpoch ? ["--slots-in-an-epoch", `${slotsInAnEpoch}`] : []),
    ...(stateFile === undefined ? [] : ["--dump-state", dumpOf(stateFile)]),
    ...(stateFile === undefined ? [] : ["--state-interval", `${DUMP_ONLY_AT_THE_END_SECONDS}`]),
    ...(stateFile !== undefined && existsSync(stateFile) ? ["--load-state", stateFile] : []),
  ];
};

const endOrphan = async (stateFile: string, log: (line: string) => void): Promise<void> => {
  const found = await findChild(noteOf(stateFile), "anvil");
  if (found === undefined) return;
  if (found.owned) {
    throw new Error(`the chain in ${stateFile} is in use by process ${found.owner}`);
  }
  log(`ending a chain that outlived its parent (process ${found.pid})`);
  try {
    await saveState(`http://127.0.0.1:${found.port}`, stateFile, PROBE_TIMEOUT_MS);
  } catch {
    // It no longer answers: the last saved state stands.
  }
  if (!(await endProcess(found.pid, "anvil"))) {
    throw new Error(`process ${found.pid} still holds the chain in ${stateFile} and does not end`);
  }
  await forgetChild(noteOf(stateFile));
};

/** Resolves at the first answer; rejects with what the process said when it gives up. */
const answering = async (child: ChildProcess, rpcUrl: string, exited: Promise<void>) => {
  let said = "";
  let ended = false;
  child.once("error", (error) => {
    said = error.message;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(0, STDERR_CHARS_MAX);
  });
  void exited.then(() => {
    ended = true;
  });
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until) {
    if (ended) throw new Error(`anvil did not start: ${firstLine(said) || "it ended at once"}`);
    try {
      await callNode(rpcUrl, "eth_chainId", [], PROBE_TIMEOUT_MS);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await endChild(child, exited, "SIGKILL");
  throw new Error(`anvil did not answer within ${START_TIMEOUT_MS} ms`);
};

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";

const endChild = async (
  child: ChildProcess,
  exited: Promise<void>,
  signal: "SIGTERM" | "SIGKILL",
) => {
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
};
