// The one handle of a server that runs as a child process, whatever the server is.
import { readFile } from "node:fs/promises";
import { freezeProcess } from "./freeze.ts";
import { ps } from "./process-table.ts";

export interface ChildServer {
  readonly pid: number;
  /** Signals the server to end, and kills it after a bound. */
  stop(): Promise<void>;
  /** Ends the server and all its workers as a power cut would. */
  kill(): Promise<void>;
  /** The process does not run but exists, like a server behind a broken network. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

/** A signal, and how long the process may take to end after it. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

const KILL_WAIT_MS = 10_000;
const LAST_STEP: StopStep = { signal: "SIGKILL", waitMs: KILL_WAIT_MS };

export interface Running {
  pid: number;
  exited: Promise<void>;
  /** The gentle ways to end it, in order. SIGKILL follows, which no process can ignore. */
  stopSteps: readonly StopStep[];
}

export function createHandle({ pid, exited, stopSteps }: Running): ChildServer {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });

  // After the end its number may belong to another program.
  function send(to: number, signal: NodeJS.Signals): void {
    if (ended) return;
    try {
      process.kill(to, signal);
    } catch {
      // It has ended already.
    }
  }

  async function sendToAll(signal: NodeJS.Signals) {
    // The parent first: it would replace a killed worker.
    for (const each of [pid, ...(await listChildren(pid))]) send(each, signal);
  }

  return {
    pid,
    exited,
    stop: async () => {
      await sendToAll("SIGCONT"); // A frozen process takes no other signal.
      for (const { signal, waitMs } of [...stopSteps, LAST_STEP]) {
        send(pid, signal);
        if (await within(exited, waitMs)) return;
      }
    },
    kill: async () => {
      await sendToAll("SIGKILL");
      await within(exited, KILL_WAIT_MS);
    },
    freeze: async () => {
      if (ended) return;
      // From then on it starts no workers, and the number of one that ends stays taken.
      await freezeProcess(pid);
      await Promise.all((await listChildren(pid)).map((worker) => freezeProcess(worker)));
    },
    thaw: () => sendToAll("SIGCONT"),
  };
}

/** Also keeps our process awake: the handles of the child do not. */
async function within(exited: Promise<void>, waitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, waitMs, false);
  });
  const result = await Promise.race([exited.then(() => true), late]);
  clearTimeout(timer);
  return result;
}

async function listChildren(pid: number): Promise<number[]> {
  try {
    const listed = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return listed.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return childrenByPs(pid);
  }
}

async function childrenByPs(parent: number): Promise<number[]> {
  try {
    const listed = await ps("-A", "-o", "pid=,ppid=");
    const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
  } catch {
    return []; // The workers end after their parent, only later.
  }
}
