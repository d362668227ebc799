import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createKafkaBus, outboxRow, TOPICS } from "@pay/events";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { EventSchema, Mode } from "@pay/proto";
import {
  describeWithKafka,
  type TestChain,
  type TestDatabase,
  type TestKafka,
  testChain,
  testDatabase,
  testKafka,
  until,
} from "@pay/testing";
import { newId } from "@pay/values";
import { describeChains, PROJECT, SHOP, startTestChains, type TestChains } from "./chains.ts";

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

  test("give every payment one verdict and every transfer to one payment", async () => {
    const [first, second] = instances as [TestChains, TestChains];
    await first.decideByHashOnly(AMOUNT);
    const hashes: string[] = [];
    for (let i = 0; i < 5; i++) hashes.push(await chain.payNative({ to: SHOP, value: AMOUNT }));
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? first : second).submit({ txHash: hashes[at % 5] ?? "" }),
      ),
    );
    function verdicts() {
      return [...first.seen, ...second.seen].filter(({ observation }) =>
        ids.includes(observation.subjectId),
      );
    }

    await until(() => new Set(verdicts().map(({ id }) => id)).size === ids.length);
    const paid = verdicts().filter(({ observation }) => observation.reason === "");
    expect(new Set(paid.map(({ observation }) => observation.txHash)).size).toBe(5);
    expect(new Set(paid.map(({ observation }) => observation.subjectId)).size).toBe(5);
    const { rows } = await first.pool.query("select count(*)::int as n from allocations");
    expect(rows[0]).toEqual({ n: 5 });
  });

  test("give every transfer to its best claim, whichever replica verifies it", async () => {
    const [first, second] = instances as [TestChains, TestChains];
    const rounds = Array.from({ length: 8 }, (_, at) =>
      (chain.accounts[at + 1] ?? "").toLowerCase(),
    );
    await chain.mineAtOnce(false);
    const submitted: { rightful: string; thieves: string[] }[] = [];
    for (const from of rounds) {
      const txHash = await chain.submit({ from, to: SHOP, value: AMOUNT });
      const thieves: string[] = [];
      for (let at = 0; at < 6; at++) {
        const instance = at % 2 === 0 ? first : second;
        const payer = at < 3 ? {} : { payerAddress: from };
        thieves.push(await instance.submit({ txHash, baseAmount: "1", ...payer }));
      }
      const payerDeclaredAt = timestampFromDate(new Date(Date.now() - 60_000));
      const rightful = await second.submit({ txHash, payerAddress: from, payerDeclaredAt });
      submitted.push({ rightful, thieves });
    }
    await until(async () => {
      const { rows } = await first.pool.query(
        "select count(*)::int as n from candidates where state = 'waiting' and sender is not null",
      );
      return rows[0]?.n === rounds.length * 7;
    });
    await chain.mineAtOnce(true);
    await chain.mine();
    await first.pool.query("update candidates set next_at = now() where state = 'waiting'");
    function getReason(id: string) {
      return until(
        () =>
          [...first.seen, ...second.seen].find(({ observation }) => observation.subjectId === id)
            ?.observation,
      ).then(({ reason }) => reason);
    }

    for (const { rightful, thieves } of submitted) {
      expect(await getReason(rightful)).toBe("");
      for (const id of thieves) expect(await getReason(id)).toBe("transfer_already_used");
    }
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
    const id = await instance.submit({ txHash: `0x${"5a".repeat(32)}` });
    await until(() => instance.candidate(id), { what: "the hash of an instance that stops" });
    await stopping;
    const { state, next_at, created_at } = await instance.candidate(id);
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
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    [chain, database, kafka] = [
      await testChain(),
      await testDatabase("services/chains"),
      await testKafka(),
    ];
    life = createTestRuntime("test");
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
        CHAINS_DATABASE_URL: database.url,
        CHAINS_GRPC_PORT: "0",
        CHAINS_LOCAL_RPC_URL: chain.rpcUrl,
        CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
        GATEWAY_CALLER_TOKENS: "g".repeat(32),
        PAYMENTS_CALLER_TOKENS: "p".repeat(32),
        KAFKA_BROKERS: kafka.brokers.join(","),
        KAFKA_TOPICS: JSON.stringify({ prefix: kafka.topicPrefix }),
        ADMIN_PORT: "0",
        DRAIN_DELAY_MS: "0",
      },
    });
  }

  test("that is killed at any moment gives every payment one verdict after its restart", async () => {
    const bus = await createKafkaBus({ ...kafka, clientId: "test", runtime: life });
    const said = new Map<string, Set<string>>();
    await bus.subscribe({
      group: "test",
      topics: [TOPICS.observations],
      handle: async (records) => {
        for (const { payload } of records) {
          const { id, resourceId } = fromBinary(EventSchema, payload);
          said.set(resourceId, (said.get(resourceId) ?? new Set()).add(id));
        }
      },
    });
    const ids: string[] = [];
    async function submit(count: number) {
      for (let i = 0; i < count; i++) {
        const id = newId("pay");
        ids.push(id);
        await bus.publish([processing(id, await chain.payNative({ to: SHOP, value: AMOUNT }))]);
      }
    }

    // Two without a transfer: with them no transfer is found for a payment, so each is paid by its own hash.
    for (let i = 0; i < 2; i++) await bus.publish([unpaid(newId("pay"))]);
    start();
    await until(
      async () =>
        (await database.pool.query("select from watches where state = 'open'")).rowCount === 2,
      { what: "the payments without a transfer" },
    );
    child?.kill("SIGKILL");
    for (const verdictsBeforeKill of [1, 12, 30]) {
      start();
      await submit(20);
      await until(() => said.size >= verdictsBeforeKill);
      child?.kill("SIGKILL");
    }
    start();
    await until(async () => {
      // What the killed process had taken is due when its lease has run out: it is let run out early.
      await database.pool.query(
        "update candidates set next_at = now() where state = 'waiting' and next_at > now() + interval '5 seconds'",
      );
      return said.size === ids.length;
    });
    expect([...said.values()].every((events) => events.size === 1)).toBe(true);
    const { rows } = await database.pool.query(
      "select count(*)::int as n, count(distinct subject_id)::int as subjects from allocations",
    );
    expect(rows[0]).toEqual({ n: ids.length, subjects: ids.length });
  });

  function processing(id: string, txHash: string) {
    return paymentEvent("payment.processing", { id, txHash, version: 2 });
  }

  function unpaid(id: string) {
    return paymentEvent("payment.created", { id, version: 1 });
  }

  function paymentEvent(
    type: "payment.created" | "payment.processing",
    payment: { id: string; txHash?: string; version: number },
  ) {
    return outboxRow({
      type,
      projectId: PROJECT,
      mode: Mode.TEST,
      resourceId: payment.id,
      resource: {
        case: "payment",
        value: {
          ...payment,
          chainId: BigInt(chain.chainId),
          currency: "native",
          recipientAddress: SHOP,
          baseAmount: `${AMOUNT}`,
          unsignedClaims: "first",
          createdAt: timestampFromDate(new Date()),
          expiresAt: timestampFromDate(new Date(Date.now() + HOUR_MS)),
        },
      },
    });
  }
});
