import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fieldsOfStat, ps } from "./process-table.ts";

const PAUSE_MS = 5;
const FREEZE_MAX_MS = 10_000;
const ENDED = "X";
/** Stopped or ended. */
const STILL = /^[TtZXx]/;

/**
 * Resolves when the process does not run any more but exists; one that has ended is left as it is. A thread takes the
 * signal when it has its turn: on a busy machine the process goes on for a while after it was sent, and answers.
 */
export async function freezeProcess(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGSTOP");
  } catch {
    return;
  }
  const untilMs = performance.now() + FREEZE_MAX_MS;
  while (!(await readStates(pid)).every((state) => STILL.test(state))) {
    if (performance.now() > untilMs) throw new Error(`process ${pid} goes on after SIGSTOP`);
    await pause(PAUSE_MS);
  }
}

/** The states of its threads; of the process as a whole where the system has no /proc. */
async function readStates(pid: number): Promise<string[]> {
  if (process.platform !== "linux") {
    return [await ps("-o", "state=", "-p", `${pid}`).catch(() => ENDED)];
  }
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  return Promise.all(threads.map((thread) => stateIn(`${folder}/${thread}/stat`)));
}

async function stateIn(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return (text && fieldsOfStat(text)[0]) || ENDED;
}
