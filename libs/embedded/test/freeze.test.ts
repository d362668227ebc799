import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { freezeProcess } from "../src/index.ts";

const FREEZES = 20;
const THREADS = 24;
// More threads at work than the machine has processors, so that most of them wait for their turn.
const PROGRAM = `
  const { Worker } = require("node:worker_threads");
  const work = "require('node:worker_threads').parentPort.postMessage(0); for (;;);";
  let atWork = 0;
  for (let n = 1; n < ${THREADS}; n++) {
    new Worker(work, { eval: true }).once("message", () => {
      if (++atWork < ${THREADS - 1}) return;
      process.stdout.write("at work", () => { for (;;); });
    });
  }
`;
/** Of the process as a whole where the system's ps does not know threads. */
const EACH_THREAD = process.platform === "linux" ? ["-L"] : [];

/** Of the process as a whole where ps lists no threads. */
function states(pid: number): string[] {
  const options = [...EACH_THREAD, "-o", "state=", "-p", String(pid)];
  return execFileSync("ps", options, { encoding: "utf8" }).trim().split("\n");
}

test("no thread of a process is at work once it is frozen", async () => {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(child.pid);
  try {
    await once(child.stdout, "data");
    for (let freezes = 0; freezes < FREEZES; freezes++) {
      await freezeProcess(pid);
      expect(states(pid).filter((state) => !state.startsWith("T"))).toEqual([]);
      process.kill(pid, "SIGCONT");
    }
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  // One that has ended is left as it is.
  await freezeProcess(pid);
});
