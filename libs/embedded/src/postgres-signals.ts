import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface ServerSignals {
  /** Fast shutdown: running transactions are undone, everything committed is written. Bounded in time. */
  stop(): Promise<void>;
  /** Ends the server and all its workers as a power cut would. */
  kill(): Promise<void>;
  /** Stands still but looks alive, as a server behind a broken network does. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

// Each step is waited for so long before the next one is taken; the last one cannot be ignored.
const STEPS = [
  { signal: "SIGINT", waitMs: 10_000 },
  { signal: "SIGQUIT", waitMs: 3_000 },
  { signal: "SIGKILL", waitMs: 3_000 },
] as const;

const KILL_WAIT_MS = 10_000;

export const createSignals = (pid: number, exited: Promise<void>): ServerSignals => {
  const toAll = async (signal: NodeJS.Signals) => {
    // The parent first: it would replace a killed worker.
    for (const each of [pid, ...(await childrenOf(pid))]) send(each, signal);
  };
  return {
    stop: async () => {
      await toAll("SIGCONT"); // A frozen server takes no other signal.
      for (const { signal, waitMs } of STEPS) {
        send(pid, signal);
        if (await within(exited, waitMs)) return;
      }
    },
    kill: async () => {
      await toAll("SIGKILL");
      await within(exited, KILL_WAIT_MS);
    },
    freeze: () => toAll("SIGSTOP"),
    thaw: () => toAll("SIGCONT"),
  };
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
};

/** Also keeps our process awake: the server's own handles do not. */
const within = async (exited: Promise<void>, waitMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, waitMs, false);
  });
  const result = await Promise.race([exited.then(() => true), late]);
  clearTimeout(timer);
  return result;
};

const childrenOf = async (pid: number): Promise<number[]> => {
  try {
    const listed = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return listed.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return childrenByPs(pid);
  }
};

const childrenByPs = async (parent: number): Promise<number[]> => {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
    const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
  } catch {
    return []; // The parent's own end takes its workers along, only later.
  }
};
