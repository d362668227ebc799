import { spawn } from "node:child_process";
import { ROOT } from "./files.mjs";

/** A failure that the set-up explains. */
export class SetupError extends Error {}

export function say(text) {
  return process.stdout.write(`set-up: ${text}\n`);
}

export function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}

const FIRST_LINES = 4;
const LAST_LINES = 10;

/** The first and last lines of a tool's output: npm prints the reason first, a compiler last. */
function createExcerpt() {
  const first = [];
  const last = [];
  function add(chunk) {
    for (const line of String(chunk)
      .split("\n")
      .filter((text) => text.trim() !== "")) {
      if (first.length < FIRST_LINES) first.push(line);
      else last.push(line);
    }
    last.splice(0, Math.max(0, last.length - LAST_LINES));
  }

  return { add, lines: () => [...first, ...last].map((line) => `  | ${line}`).join("\n") };
}

/** Runs a tool without output; its output is shown only when it fails. */
export function run(what, command, args, { cwd = ROOT, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const startedMs = Date.now();
    const excerpt = createExcerpt();
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", excerpt.add);
    child.stderr.on("data", excerpt.add);
    const progress = setInterval(
      () => say(`${what}: still working (${seconds(startedMs)})`),
      10_000,
    );
    child.once("error", (error) => {
      clearInterval(progress);
      const missing = error.code === "ENOENT" ? `"${command}" was not found` : error.message;
      reject(new SetupError(`${what} could not start: ${missing}`));
    });
    child.once("close", (code, signal) => {
      clearInterval(progress);
      if (code === 0) return resolve();
      reject(
        new SetupError(`${what} failed (${signal ?? `exit code ${code}`})\n${excerpt.lines()}`),
      );
    });
  });
}
