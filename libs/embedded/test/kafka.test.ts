import { access, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { describeWithBroker, mendGroups, ONE_OFFSETS_LOG, spoilGroups, until } from "@pay/testing";
import { type Kafka, type KafkaOptions, startKafka } from "../src/kafka/kafka.ts";
import { CoordinatorInactive, probeKafka } from "../src/kafka/kafka-probe.ts";

describeWithBroker("a local broker", () => {
  let folder: string;
  const running: Kafka[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-kafka-"));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((kafka) => kafka.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  async function start(options: Partial<KafkaOptions> = {}) {
    const kafka = await startKafka({ dataDir: join(folder, "kafka"), ...options });
    running.push(kafka);
    return kafka;
  }

  function isInactive(port: number) {
    return probeKafka("127.0.0.1", port, 60_000).then(
      () => false,
      (error: unknown) => error instanceof CoordinatorInactive,
    );
  }

  function serves(kafka: Kafka, timeoutMs = 60_000) {
    return probeKafka("127.0.0.1", kafka.port, timeoutMs).then(
      () => true,
      () => false,
    );
  }

  test("serves groups when its start is done, and comes back on its port after a crash", async () => {
    const first = await start();
    expect(await serves(first)).toBe(true);
    await first.kill();
    expect(await serves(first)).toBe(false);
    const second = await start({ port: first.port });
    expect(second.brokers).toEqual(first.brokers);
    expect(await serves(second)).toBe(true);
    await second.stop();
    await second.exited;
  });

  test("looks alive while frozen, and serves again once it thaws", async () => {
    const kafka = await start();
    await kafka.freeze();
    expect(await serves(kafka, 500)).toBe(false);
    await kafka.thaw();
    await until(() => serves(kafka));
    await kafka.freeze();
    await kafka.stop();
  });

  test("starts once more where it could not load its groups, and says why", async () => {
    const first = await start({ settings: ONE_OFFSETS_LOG });
    await spoilGroups(first.brokers);
    await first.kill();
    const lines: string[] = [];
    const started = start({
      settings: ONE_OFFSETS_LOG,
      port: first.port,
      log: (line) => lines.push(line),
    });
    await until(() => isInactive(first.port), { what: "a broker without its groups" });
    await mendGroups(first.brokers);
    expect(await serves(await started)).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(/^the Kafka broker did not start: .*Exception.*again$/),
    ]);
  });

  test("takes its log with it when it is temporary", async () => {
    const kafka = await start({ temporary: true });
    function there() {
      return access(join(folder, "kafka")).then(
        () => true,
        () => false,
      );
    }

    expect(await there()).toBe(true);
    await kafka.kill();
    await until(async () => !(await there()));
  });

  test("says in one line why it does not start", async () => {
    await expect(start({ settings: { "message.max.bytes": "many" } })).rejects.toThrow(
      /Invalid value many for configuration message.max.bytes/,
    );
    await expect(start({ jarsDir: folder })).rejects.toThrow(/kafka.tools.StorageTool/);
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => resolve(server));
    });
    const { port } = taken.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
    taken.close();
  });
});
