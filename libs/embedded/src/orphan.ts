// A child that outlived its parent keeps its port and its files. The note beside its data says who it was, so
// that the next start can end it; a child whose parent still lives is somebody else's and is left alone.
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface ChildNote {
  pid: number;
  /** The process that started it. */
  owner: number;
  port: number;
}

export interface FoundChild extends ChildNote {
  /** Whether the process that started it still holds it. */
  owned: boolean;
}

const STOP_TIMEOUT_MS = 5_000;

export const noteChild = (file: string, note: ChildNote): Promise<void> =>
  writeFile(file, JSON.stringify(note));

export const forgetChild = (file: string): Promise<void> => rm(file, { force: true });

/** The noted child if it still runs; a number that now belongs to another program does not count. */
export const findChild = async (file: string, program: string): Promise<FoundChild | undefined> => {
  const note = await readNote(file);
  if (note === undefined) return undefined;
  const running = await describeProcess(note.pid);
  if (running === undefined || !running.command.includes(program)) return undefined;
  return { ...note, owned: running.parent === note.owner };
};

/** Asks a process to end, and makes it end after a while. True once it is gone. */
export const endProcess = async (pid: number, program: string): Promise<boolean> => {
  const gone = async () => !(await describeProcess(pid))?.command.includes(program);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return gone();
    }
    const until = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < until) {
      if (await gone()) return true;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  return gone();
};

const readNote = async (file: string): Promise<ChildNote | undefined> => {
  try {
    const { pid, owner, port } = JSON.parse(await readFile(file, "utf8")) as ChildNote;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, owner, port } : undefined;
  } catch {
    return undefined; // No note, or one torn by the crash: nothing is known.
  }
};

export const describeProcess = async (
  pid: number,
): Promise<{ parent: number; command: string } | undefined> => {
  try {
    if (process.platform === "linux") {
      const [stat, command] = await Promise.all([
        readFile(`/proc/${pid}/stat`, "utf8"),
        readFile(`/proc/${pid}/cmdline`, "utf8"),
      ]);
      // The name in brackets may hold spaces; state and parent follow it. A zombie has an empty command line.
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return { parent: Number(parent), command };
    }
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,command=", "-p", `${pid}`]);
    const [parent, ...command] = stdout.trim().split(/\s+/);
    return { parent: Number(parent), command: command.join(" ") };
  } catch {
    return undefined;
  }
};
