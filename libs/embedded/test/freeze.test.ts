import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { fieldsOfStat, freezeProcess } from "../src/index.ts";

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

/** What the system says of its threads, one character for each; at once, before more of them have had their turn. */
function states(pid: number): (string | undefined)[] {
  if (process.platform !== "linux") {
    return [execFileSync("ps", ["-o", "state=", "-p", `${pid}`], { encoding: "utf8" })];
  }
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder);
  return threads.map((one) => fieldsOfStat(readFileSync(`${folder}/${one}/stat`, "utf8"))[0]);
}

test("no thread of a process is at work once it is frozen", async () => {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(child.pid);
  try {
    await once(child.stdout, "data");
    for (let freezes = 0; freezes < FREEZES; freezes++) {
      await freezeProcess(pid);
      expect(states(pid).filter((state) => !state?.startsWith("T"))).toEqual([]);
      process.kill(pid, "SIGCONT");
    }
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  // One that has ended is left as it is.
  await freezeProcess(pid);
});
