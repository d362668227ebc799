// How long does a user wait, and what does the product cost while nothing happens? The first start is on an empty
// data folder, the second on the data of the first. Memory is that of the process with all services, after an
// idle period; Postgres and the chain are not in it.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, median } from "./figures.ts";

const MAIN = fileURLToPath(new URL("../standalone/src/main.ts", import.meta.url));
const ROUNDS = 3;
const QUIET_MS = 10_000;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-start-"));
  try {
    figure("start.first_s", (await startOnce(folder)).seconds, "s");
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) seconds.push((await startOnce(folder)).seconds);
    figure("start.second_s", median(seconds), "s");
    figure("start.rss_mb", (await startOnce(folder, QUIET_MS)).rssMb, "MB");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(folder: string, quietMs = 0): Promise<{ seconds: number; rssMb: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, DATA_DIR: folder, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => /^ready /m.test(chunk.toString()) && resolve());
  });
  await Promise.race([ready, exited.then(() => Promise.reject(new Error("it did not start")))]);
  const seconds = (performance.now() - from) / 1_000;
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  const rssMb = await residentMb(child.pid as number);
  child.kill("SIGINT");
  await exited;
  return { seconds, rssMb };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}
