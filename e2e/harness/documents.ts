// The documents as their reader follows them: the commands of a page, one after the other in one shell.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOT_IN_A_CLONE = new Set([".data", ".git"]);
/** A refusal ends the commands, and what was answered is shown. */
const STRICT = 'set -euo pipefail\ncurl() { command curl --fail-with-body --max-time 60 "$@"; }\n';

/** The blocks of one language on a page. */
export function extractBlocks(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block]) =>
    name === language ? [block ?? ""] : [],
  );
}

/** Makes the folder look like a clone in which nothing was started. */
export function lookLikeClone(folder: string): void {
  for (const name of readdirSync(ROOT)) {
    if (!NOT_IN_A_CLONE.has(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
}

export interface Shell {
  /** Waits for its end; answers the exit code. */
  ended: Promise<number | null>;
  output(): string;
  type(text: string): void;
  stop(): Promise<number | null>;
}

/** Runs commands in the folder, as a reader types them. */
export function runShell(folder: string, script: string, environment: NodeJS.ProcessEnv): Shell {
  const child = spawn("bash", ["-c", STRICT + script], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
    });
  }
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(
    () => {
      hasEnded = true;
    },
  );
  return {
    ended,
    output: () => text,
    type: (line) => void child.stdin.write(line),
    stop: () => {
      // Ctrl-C reaches the whole group.
      if (!hasEnded && child.pid) process.kill(-child.pid, "SIGINT");
      return ended;
    },
  };
}
