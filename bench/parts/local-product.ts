// The product as `npm start` runs it, in one process with a folder of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Undo } from "./with-undo.ts";

const MAIN = fileURLToPath(new URL("../../standalone/src/main.ts", import.meta.url));

const LINK = /^ +Dashboard +(\S+)/m;

/** Its port, and the link that signs the owner of its project in. */
export async function startLocalProduct(
  folder: string,
  undo: Undo,
  environment: Record<string, string>,
): Promise<{ port: number; dashboardLink: string }> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, DATA_DIR: folder, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  undo.push(async () => {
    child.kill("SIGINT");
    await exited;
  });
  let printed = "";
  let isReady = false;
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        if (isReady) return;
        printed += chunk;
        isReady = /^ready /m.test(printed);
        if (isReady) resolve();
      });
    }
  });
  const failed = exited.then(() => Promise.reject(new Error(`it did not start: ${printed}`)));
  await Promise.race([ready, failed]);
  failed.catch(() => {});
  const { baseUrl } = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
  return { port: Number(new URL(baseUrl).port), dashboardLink: LINK.exec(printed)?.[1] ?? "" };
}
