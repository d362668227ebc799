// A child that outlived its parent keeps its port and its files. The note beside its data names its process, so that
// the next start can end it; a child whose parent still runs belongs to that parent and is left alone.
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { createHandle } from "./handle.ts";
import { fieldsOfStat, ps } from "./process-table.ts";

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
const GONE_TIMEOUT_MS = 60_000;
const GONE_PAUSE_MS = 20;

export function noteChild(file: string, note: ChildNote): Promise<void> {
  return writeFile(file, JSON.stringify(note));
}

export function forgetChild(file: string): Promise<void> {
  return rm(file, { force: true });
}

/** The noted child if it still runs; a number that now belongs to another program does not count. */
export async function findChild(file: string, program: string): Promise<FoundChild | undefined> {
  const note = await readNote(file);
  if (note === undefined) return undefined;
  const running = await describeProcess(note.pid);
  if (running === undefined || !running.command.includes(program)) return undefined;
  return { ...note, owned: running.parent === note.owner };
}

/** Signals a process to end, and kills it after a bound. True once it is gone. */
export async function endProcess(pid: number, program: string): Promise<boolean> {
  const stopSteps = [{ signal: "SIGTERM", waitMs: STOP_TIMEOUT_MS }] as const;
  await createHandle({ pid, exited: untilGone(pid, program), stopSteps }).stop();
  return isGone(pid, program);
}

/** Resolves when no process of this number and program runs; also when one still does after a long time. */
export async function untilGone(pid: number, program: string): Promise<void> {
  const untilMs = Date.now() + GONE_TIMEOUT_MS;
  while (Date.now() < untilMs && !(await isGone(pid, program))) await pause(GONE_PAUSE_MS);
}

async function isGone(pid: number, program: string): Promise<boolean> {
  return !(await describeProcess(pid))?.command.includes(program);
}

async function readNote(file: string): Promise<ChildNote | undefined> {
  try {
    const { pid, owner, port } = JSON.parse(await readFile(file, "utf8")) as ChildNote;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, owner, port } : undefined;
  } catch {
    return undefined; // No note, or one torn by the crash: nothing is known.
  }
}

export async function describeProcess(
  pid: number,
): Promise<{ parent: number; command: string } | undefined> {
  try {
    if (process.platform === "linux") {
      const [stat, command] = await Promise.all([
        readFile(`/proc/${pid}/stat`, "utf8"),
        readFile(`/proc/${pid}/cmdline`, "utf8"),
      ]);
      const [, parent] = fieldsOfStat(stat);
      // A zombie has an empty command line.
      return { parent: Number(parent), command };
    }
    const listed = await ps("-o", "ppid=,command=", "-p", `${pid}`);
    const [parent, ...command] = listed.split(/\s+/);
    return { parent: Number(parent), command: command.join(" ") };
  } catch {
    return undefined;
  }
}
