// Tests that are no part of `npm test`, each with a command of its own.
import { spawn } from "node:child_process";

/** Runs e2e/faults/NAME.run.ts; its result is that of this process. */
export function runSlowTest(name: string, environment: Record<string, string> = {}): void {
  const run = spawn(
    process.execPath,
    [
      "--experimental-vm-modules",
      "--disable-warning=ExperimentalWarning",
      "node_modules/jest/bin/jest.js",
      "--config",
      "e2e/cluster/jest.config.mjs",
      "--verbose",
      `${name}.run`,
    ],
    { stdio: "inherit", env: { ...process.env, ...environment } },
  );
  run.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
