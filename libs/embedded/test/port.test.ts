// Other programs take ports at any moment, also at the worst.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  createMuteServer,
  describeWithBroker,
  describeWithChain,
  describeWithPostgres,
  describeWithRedis,
} from "@pay/testing";
import { startAnvilOn } from "../src/anvil/anvil.ts";
import { startKafkaOn } from "../src/kafka/kafka.ts";
import { startPostgresOn } from "../src/postgres/postgres.ts";
import { leasePort, onPort, PortTaken } from "../src/processes/port.ts";
import { startRedisOn } from "../src/redis/redis.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pay-port-"));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Another program listens on the first port that was chosen, right before the server binds it. */
async function startWhereTaken<T>(start: (port: number) => Promise<T>) {
  const other = createMuteServer();
  let lost: number | undefined;
  const server = await onPort(undefined, async (port) => {
    if (lost === undefined) {
      lost = port;
      await once(other.listen(port, "127.0.0.1"), "listening");
    }
    return start(port);
  });
  other.close();
  return { server, lost };
}

async function startsOnAnother(
  start: (port: number) => Promise<{ port: number; stop(): Promise<void> }>,
) {
  const { server, lost } = await startWhereTaken(start);
  await server.stop();
  expect(lost).toBeGreaterThan(0);
  expect(server.port).not.toBe(lost);
}

describeWithRedis("redis", () => {
  test("starts on another port when its own is taken before it is bound", () =>
    startsOnAnother(startRedisOn));
});

describeWithChain("the chain", () => {
  test("starts on another port when its own is taken before it is bound", () =>
    startsOnAnother((port) => startAnvilOn({}, port)));
});

describeWithPostgres("postgres", () => {
  test("starts on another port when its own is taken before it is bound", () =>
    startsOnAnother((port) => startPostgresOn({ dataDir: join(folder, "data") }, port)));
});

describeWithBroker("kafka", () => {
  test("starts on another port when its own is taken before it is bound", () =>
    startsOnAnother(async (port) =>
      startKafkaOn({ dataDir: join(folder, "kafka") }, { port, controllerPort: await leasePort() }),
    ));

  test("starts on another port when its controller's is taken before it is bound", () =>
    startsOnAnother(async (controllerPort) => {
      const port = await leasePort();
      const kafka = await startKafkaOn(
        { dataDir: join(folder, "kafka") },
        { port, controllerPort },
      );
      return { ...kafka, port: controllerPort };
    }));
});

test("a port is one process's own from its lease to its end, however that comes", async () => {
  const script = fileURLToPath(new URL("./owner/lease-port.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  const port = Number(line);
  async function listen(wanted: number) {
    const server = createServer().listen(wanted, "127.0.0.1");
    await once(server, "listening");
    server.close();
    return wanted;
  }

  await expect(onPort(port, listen)).rejects.toThrow(PortTaken);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await onPort(port, listen)).toBe(port);
  // Its own: again and again.
  expect(await onPort(port, listen)).toBe(port);
});

test("what keeps a server from starting besides its port is said at once", async () => {
  let starts = 0;
  async function start() {
    starts++;
    throw new Error("the disk is full");
  }

  await expect(onPort(undefined, start)).rejects.toThrow("the disk is full");
  expect(starts).toBe(1);
});
