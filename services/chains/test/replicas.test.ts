import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createKafkaBus, TOPICS } from "@pay/events";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { EventSchema } from "@pay/proto";
import {
  describeWithKafka,
  shareCompiledCode,
  type TestChain,
  type TestDatabase,
  type TestKafka,
  testChain,
  testDatabase,
  testKafka,
  until,
} from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  newWallet,
  servePayments,
  startTestChains,
  type TestChains,
  toRow,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const HOUR_MS = 3_600_000;

describeChains("two instances on one database", () => {
  let instances: TestChains[];
  let chain: TestChain;
  beforeAll(async () => {
    chain = await testChain();
    const first = await startTestChains({ chain });
    instances = [first, await startTestChains({ chain, database: first.database })];
  });
  afterAll(async () => {
    for (const instance of instances?.toReversed() ?? []) await instance.stop();
    await chain?.stop();
  });

  function paid(id: string) {
    const [first, second] = instances as [TestChains, TestChains];
    return until(
      () =>
        [...first.told, ...second.told].find(
          ({ money }) => money.paymentId === id && money.finalBaseAmount === `${AMOUNT}`,
        )?.money,
      { what: `the proof of ${id}` },
    );
  }

  test("decide every transfer once, and tell each turn of a payment once", async () => {
    const [first, second] = instances as [TestChains, TestChains];
    const payments: { id: string; txHash: string; others: string[] }[] = [];
    for (let n = 0; n < 10; n++) {
      const recipientAddress = newWallet();
      const id = await first.open({ recipientAddress });
      // Larger ones that the same hash is submitted for.
      const others: string[] = [];
      for (let at = 0; at < 4; at++) {
        others.push(await first.open({ recipientAddress, baseAmount: `${AMOUNT * 2n}` }));
      }
      const txHash = await chain.payNative({ to: recipientAddress, value: AMOUNT });
      for (const one of [id, ...others]) await first.submit({ id: one, txHash });
      payments.push({ id, txHash, others });
    }
    for (const { id, txHash, others } of payments) {
      expect(await paid(id)).toMatchObject({ txHash });
      for (const other of others) {
        await until(() =>
          [...first.told, ...second.told].find(
            ({ money }) =>
              money.paymentId === other && money.hashes[0]?.outcome === "transfer_already_used",
          ),
        );
      }
    }
    const turns = [...first.told, ...second.told].map(
      ({ id, money }) => `${money.paymentId} ${money.turn} ${id}`,
    );
    const distinct = new Set(turns);
    const numbers = new Set(turns.map((turn) => turn.split(" ", 2).join(" ")));
    expect(distinct.size).toBe(numbers.size);
    const { rows } = await first.pool.query("select count(*)::int as n from allocations");
    expect(rows[0]).toEqual({ n: payments.length });
  });
});

describeChains("an instance that stops", () => {
  let chain: TestChain;
  let database: TestDatabase;
  beforeAll(async () => {
    [chain, database] = [await testChain(), await testDatabase("services/chains")];
  });
  afterAll(async () => {
    await chain?.stop();
    await database?.drop();
  });

  test("leaves due hashes to the others without waiting for a lease", async () => {
    const instance = await startTestChains({ chain, database, drainDelayMs: 2_000 });
    const stopping = instance.stop();
    const txHash = `0x${"5a".repeat(32)}`;
    await instance.submit({ txHash });
    const sought = "select state, next_at, created_at from transactions where tx_hash = $1";
    async function read() {
      return (await database.pool.query(sought, [txHash])).rows[0];
    }

    await until(read, { what: "the hash of an instance that stops" });
    await stopping;
    const { state, next_at, created_at } = await read();
    expect({ state, next_at }).toEqual({ state: "waiting", next_at: created_at });
  });
});

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

describeChains("the process", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await testChain();
  });
  afterAll(() => chain?.stop());

  test("with a wrong configuration reports the fault and exits", async () => {
    const child = spawn(process.execPath, [MAIN], {
      env: { CHAINS_PROVIDERS: '{"1": "secret-key"}', KAFKA_BROKERS: "127.0.0.1:1" },
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await waitForExit(child)).toBe(1);
    expect(said).toContain("chains: CHAINS_DATABASE_URL is required");
    expect(said).toContain("chains: CHAINS_PROVIDERS must be JSON like");
    expect(said).not.toContain("secret-key");
  });
});

function waitForExit(child: ChildProcess) {
  return new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
}

describeWithKafka("the process on Kafka", () => {
  let chain: TestChain;
  let database: TestDatabase;
  let kafka: TestKafka;
  let life: Lifecycle;
  let payments: { address: string };
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    [chain, database, kafka] = [
      await testChain(),
      await testDatabase("services/chains"),
      await testKafka(),
    ];
    life = createTestRuntime("test");
    payments = await servePayments(life, async () => []);
  });
  afterAll(async () => {
    child?.kill("SIGKILL");
    await life?.stop();
    await database?.drop();
    await chain?.stop();
  });

  function start() {
    child = spawn(process.execPath, [MAIN], {
      stdio: "ignore",
      env: {
        ...shareCompiledCode(),
        CHAINS_DATABASE_URL: database.url,
        CHAINS_GRPC_PORT: "0",
        CHAINS_LOCAL: JSON.stringify({ rpcUrl: chain.rpcUrl, tokens: [chain.token] }),
        CHAINS_CALLER_TOKENS: "c".repeat(32),
        GATEWAY_CALLER_TOKENS: "g".repeat(32),
        PAYMENTS_CALLER_TOKENS: "p".repeat(32),
        REFUNDS_CALLER_TOKENS: "r".repeat(32),
        PAYMENTS_ADDRESS: payments.address,
        KAFKA_BROKERS: kafka.brokers.join(","),
        KAFKA_TOPICS: JSON.stringify({ prefix: kafka.topicPrefix }),
        ADMIN_PORT: "0",
        DRAIN_DELAY_MS: "0",
      },
    });
  }

  test("that is killed at any moment tells the money of every payment after its restart", async () => {
    const bus = await createKafkaBus({ ...kafka, clientId: "test", runtime: life });
    const said = new Map<string, Map<number, Set<string>>>();
    const final = new Set<string>();
    await bus.subscribe({
      group: "test",
      topics: [TOPICS.observations],
      handle: async (records) => {
        for (const { payload } of records) {
          const { id, resourceId, resource } = fromBinary(EventSchema, payload);
          if (resource.case !== "money") throw new Error("an event of something else");
          const turns = said.get(resourceId) ?? new Map<number, Set<string>>();
          const { turn, finalBaseAmount } = resource.value;
          said.set(resourceId, turns.set(turn, (turns.get(turn) ?? new Set()).add(id)));
          if (finalBaseAmount === `${AMOUNT}`) final.add(resourceId);
        }
      },
    });
    const ids: string[] = [];
    async function submit(count: number) {
      for (let i = 0; i < count; i++) {
        const [id, recipientAddress] = [newId("pay"), newWallet()];
        ids.push(id);
        const txHash = await chain.payNative({ to: recipientAddress, value: AMOUNT });
        await bus.publish([processing(id, recipientAddress, txHash)]);
      }
    }

    for (const finalBeforeKill of [1, 12, 30]) {
      start();
      await submit(20);
      await until(() => final.size >= finalBeforeKill);
      child?.kill("SIGKILL");
    }
    start();
    await until(async () => {
      // What the killed process had taken is due when its lease has run out: it is let run out early.
      await database.pool.query(
        "update transactions set next_at = now() where state = 'waiting' and next_at > now() + interval '5 seconds'",
      );
      await database.pool.query(
        "update attribution_queue set leased_until = null where leased_until < now() + interval '25 seconds'",
      );
      return final.size === ids.length;
    });
    for (const turns of said.values()) {
      expect([...turns.values()].every((events) => events.size === 1)).toBe(true);
    }
    const { rows } = await database.pool.query(
      "select count(*)::int as n, count(distinct subject_id)::int as subjects from allocations",
    );
    expect(rows[0]).toEqual({ n: ids.length, subjects: ids.length });
  });

  function processing(id: string, recipientAddress: string, txHash: string) {
    return toRow("payment.processing", {
      id,
      version: 2,
      status: "processing",
      chainId: BigInt(chain.chainId),
      currency: "native",
      recipientAddress,
      baseAmount: `${AMOUNT}`,
      hashes: [{ txHash }],
      createdAt: timestampFromDate(new Date(Date.now() - 10_000)),
      expiresAt: timestampFromDate(new Date(Date.now() + HOUR_MS)),
    });
  }
});
