// The processes of the system: in /proc on Linux, by ps elsewhere.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * State, parent and all that follows them in a stat file. They stand behind the name, which is in brackets and may hold
 * anything.
 */
export function fieldsOfStat(text: string): string[] {
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

export async function ps(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", options);
  return stdout.trim();
}

/** Also of a process that belongs to another user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
