// A local EVM chain as a child process. When our process ends without stopping it, a guard ends the child, which leaves
// its last state beside the saved one; a child that outlived even the guard is asked for its state and ended by the
// next start. A chain that another living process uses is never touched.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Child, startChild } from "../processes/child.ts";
import type { ChildServer } from "../processes/handle.ts";
import { endProcess, findChild, forgetChild, noteChild } from "../processes/orphan.ts";
import { onPort, PortTaken, saysPortTaken } from "../processes/port.ts";
import { getDumpPath, saveState, startSaver, takeLastDump } from "./anvil-state.ts";
import { callNode } from "./dev-rpc.ts";

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 20;
const DUMP_ONLY_AT_THE_END_SECONDS = 31_536_000;

export interface AnvilOptions {
  /** Where the chain is kept between starts; without it the chain is in memory only. */
  stateFile?: string;
  /** Absent or 0: a free one. */
  port?: number;
  chainId?: number;
  /** A block is mined at this interval, too, besides one for each transaction; absent: only for transactions. */
  blockTimeSeconds?: number;
  /** Blocks from the head to `safe`; twice as many to `finalized`. */
  slotsInAnEpoch?: number;
  /** At most this much of the chain is lost to a kill. */
  saveIntervalMs?: number;
  log?: (line: string) => void;
}

/** A kill ends it without a last save, as a crash would. */
export interface Anvil extends ChildServer {
  readonly rpcUrl: string;
  readonly port: number;
  /** Keeps the present state now. */
  save(): Promise<void>;
}

const PLATFORM_PACKAGES: Record<string, string> = {
  "darwin arm64": "anvil-darwin-arm64",
  "darwin x64": "anvil-darwin-amd64",
  "linux arm64": "anvil-linux-arm64",
  "linux x64": "anvil-linux-amd64",
  "win32 x64": "anvil-win32-amd64",
};

/** The binary npm installed for this machine, or an error with what to do. */
export function anvilBinary(platform = process.platform, arch: string = process.arch): string {
  const name = PLATFORM_PACKAGES[`${platform} ${arch}`];
  if (name === undefined) throw new Error(`anvil has no build for ${platform} on ${arch}`);
  const require = createRequire(import.meta.url);
  try {
    const home = dirname(require.resolve(`@foundry-rs/${name}/package.json`));
    return join(home, "bin", platform === "win32" ? "anvil.exe" : "anvil");
  } catch {
    throw new Error(`package @foundry-rs/${name} is not installed: run npm ci`);
  }
}

/** Why no chain can be started on this machine; undefined when one can. */
export function missingAnvil(): string | undefined {
  try {
    return existsSync(anvilBinary()) ? undefined : "the binary of anvil is not there";
  } catch (error) {
    return (error as Error).message;
  }
}

export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { stateFile, log = () => {} } = options;
  if (stateFile !== undefined) {
    await mkdir(dirname(stateFile), { recursive: true });
    await endOrphan(stateFile, log);
    await takeLastDump(stateFile);
  }
  return onPort(options.port, (port) => startAnvilOn(options, port));
}

/** One try, on that port. */
export async function startAnvilOn(options: AnvilOptions, port: number): Promise<Anvil> {
  const { stateFile, log = () => {} } = options;
  const rpcUrl = `http://127.0.0.1:${port}`;
  const child = startChild({
    file: anvilBinary(),
    args: buildArguments(options, port),
    stopSteps: [{ signal: "SIGTERM", waitMs: STOP_TIMEOUT_MS }],
    orphanSignal: "TERM",
  });
  // The note comes before the first answer: a crash of ours in between must leave a trace too.
  if (stateFile !== undefined && child.pid !== undefined) {
    await noteChild(getNotePath(stateFile), { pid: child.pid, owner: process.pid, port });
  }
  await answering(child, { rpcUrl, port });
  await keepUp(rpcUrl);
  const chain = { rpcUrl, port, ...child.handle };
  if (stateFile === undefined) return { ...chain, save: async () => {} };
  return { ...chain, ...kept(child.handle, { ...options, rpcUrl, stateFile, log }) };
}

/** Where its start took long its clock stays late, and a payment would be opened after the block that pays it. */
export async function keepUp(rpcUrl: string): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const next = await callNode(rpcUrl, "eth_getBlockByNumber", ["pending", false]);
  const late = now - Number((next as { timestamp: string }).timestamp);
  if (late > 0) await callNode(rpcUrl, "evm_increaseTime", [`0x${late.toString(16)}`]);
}

interface Kept {
  rpcUrl: string;
  stateFile: string;
  saveIntervalMs?: number;
  log(line: string): void;
}

/** The parts of the handle that also care for the state on disk. */
function kept(
  handle: ChildServer,
  { rpcUrl, stateFile, saveIntervalMs = 500, log }: Kept,
): Pick<Anvil, "save" | "stop" | "kill"> {
  const saver = startSaver({ rpcUrl, stateFile, intervalMs: saveIntervalMs, log });
  let ended = false;
  void handle.exited.then(() => {
    ended = true;
  });

  async function end(how: "stop" | "kill") {
    await saver.stop();
    if (how === "stop" && !ended) {
      await saver.save().catch((error: Error) => log(`no last save: ${error.message}`));
    }
    await handle[how]();
    await takeLastDump(stateFile);
    await forgetChild(getNotePath(stateFile));
  }

  return { save: saver.save, stop: () => end("stop"), kill: () => end("kill") };
}

function getNotePath(stateFile: string) {
  return `${stateFile}.pid`;
}

function buildArguments(options: AnvilOptions, port: number): string[] {
  const { stateFile, chainId = 31_337, blockTimeSeconds, slotsInAnEpoch } = options;
  return [
    "--host",
    "127.0.0.1",
    "--port",
    `${port}`,
    "--chain-id",
    `${chainId}`,
    "--quiet",
    ...(blockTimeSeconds ? ["--block-time", `${blockTimeSeconds}`, "--mixed-mining"] : []),
    ...(slotsInAnEpoch ? ["--slots-in-an-epoch", `${slotsInAnEpoch}`] : []),
    ...(stateFile === undefined ? [] : ["--dump-state", getDumpPath(stateFile)]),
    ...(stateFile === undefined ? [] : ["--state-interval", `${DUMP_ONLY_AT_THE_END_SECONDS}`]),
    ...(stateFile !== undefined && existsSync(stateFile) ? ["--load-state", stateFile] : []),
  ];
}

async function endOrphan(stateFile: string, log: (line: string) => void): Promise<void> {
  const found = await findChild(getNotePath(stateFile), "anvil");
  if (found === undefined) return;
  if (found.owned) {
    throw new Error(`the chain in ${stateFile} is in use by process ${found.owner}`);
  }
  log(`ending a chain that outlived its parent (process ${found.pid})`);
  try {
    await saveState(`http://127.0.0.1:${found.port}`, stateFile, PROBE_TIMEOUT_MS);
  } catch {
    // It no longer answers: the last saved state is used.
  }
  if (!(await endProcess(found.pid, "anvil"))) {
    throw new Error(`process ${found.pid} still holds the chain in ${stateFile} and does not end`);
  }
  await forgetChild(getNotePath(stateFile));
}

/** Resolves at the first answer; rejects with the output of the process when it gives up. */
async function answering(
  child: Child,
  { rpcUrl, port }: { rpcUrl: string; port: number },
): Promise<void> {
  const notReady = await child.untilReady({
    probe: () => callNode(rpcUrl, "eth_chainId", [], PROBE_TIMEOUT_MS),
    timeoutMs: START_TIMEOUT_MS,
    pauseMs: PROBE_PAUSE_MS,
  });
  if (notReady === undefined) return;
  if (!notReady.ended) throw new Error(`anvil did not answer within ${START_TIMEOUT_MS} ms`);
  if (saysPortTaken(child.output())) throw new PortTaken(port);
  const [reason] = child.output().trim().split("\n");
  throw new Error(`anvil did not start: ${reason || "it ended at once"}`);
}
