// A process that signs is killed (SIGKILL) at each place between the nonce and the end of a transfer. Whatever it had
// done, the refund is mined exactly once: the stored bytes are sent again, and no second nonce is ever taken.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { Mode } from "@pay/proto";
import {
  type FaultProxy,
  type TestChain,
  type TestDatabase,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { newId, toAddress, toAmount } from "@pay/values";
import { insertIntents } from "../src/payouts/storage/intents.ts";
import { NATIVE } from "../src/providers/domain/transfer.ts";
import { describeChains, PROJECT, servePayments } from "./chains.ts";
import { type KeyFiles, keyFiles, signerFor } from "./paying-wallet.ts";

const MAIN = fileURLToPath(new URL("sender/main.ts", import.meta.url));
const AMOUNT = 1_000n;
/** More than a wallet has under way at once. */
const LIST = 24;

describeChains("a refund whose sender is killed", () => {
  let chain: TestChain;
  let proxy: FaultProxy;
  let database: TestDatabase;
  let files: KeyFiles;
  let life: Lifecycle;
  let payments: { address: string };
  let child: ChildProcess | undefined;
  let owed = 0;
  beforeAll(async () => {
    [chain, database, files] = [
      await testChain(),
      await testDatabase("services/chains"),
      await keyFiles(),
    ];
    proxy = await chain.faultProxy();
    life = createTestRuntime("test");
    payments = await servePayments(life, async () => []);
    start();
  });
  afterAll(async () => {
    child?.kill("SIGKILL");
    await life?.stop();
    await database?.drop();
    await chain?.stop();
    files?.remove();
  });

  function start() {
    child = spawn(process.execPath, [MAIN], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        CHAINS_DATABASE_URL: database.url,
        CHAINS_GRPC_PORT: "0",
        PAYMENTS_ADDRESS: payments.address,
        CHAINS_LOCAL: JSON.stringify({ rpcUrl: proxy.url, tokens: [chain.token] }),
        CHAINS_SIGNERS: signerFor(chain, files),
      },
    });
  }

  async function kill() {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
  }

  async function owe(count: number): Promise<{ id: string; destination: string }[]> {
    const now = new Date();
    const intents = Array.from({ length: count }, () => ({
      subjectId: newId("refund"),
      projectId: PROJECT,
      mode: Mode.TEST,
      kind: "transfer" as const,
      requestId: "",
      paymentId: newId("pay"),
      chainId: chain.chainId,
      source: toAddress(files.address),
      version: 1,
      destination: toAddress(`0x${`${++owed}`.padStart(40, "a")}`),
      currency: NATIVE,
      decimals: 18,
      baseAmount: toAmount(AMOUNT),
      owedSince: now,
    }));
    await insertIntents(database.pool, intents, now);
    return intents.map(({ subjectId, destination }) => ({ id: subjectId, destination }));
  }

  /** What the killed process had in hand is due at once, not when its lease has run out. */
  async function areProven(ids: readonly string[]) {
    await database.pool.query(
      "update intents set next_at = now() where subject_id = any($1) and next_at > now() + interval '3 seconds'",
      [ids],
    );
    await database.pool.query(
      "update transactions set next_at = now() where state = 'waiting' and next_at > now() + interval '3 seconds'",
    );
    await database.pool.query(
      "update attribution_queue set leased_until = null where leased_until < now() + interval '27 seconds'",
    );
    const { rows } = await database.pool.query(
      "select from submissions where subject_id = any($1) and outcome = 'counted'",
      [ids],
    );
    return rows.length === ids.length;
  }

  /** Statements that write to the table wait until they are let go on. */
  async function hold(table: string) {
    const client = await database.pool.connect();
    await client.query("begin");
    await client.query(`lock table ${table} in share mode`);
    return {
      waitedFor: () =>
        until(
          async () => {
            const { rows } = await client.query(
              "select from pg_locks where not granted and relation = $1::regclass",
              [table],
            );
            return rows.length > 0;
          },
          { what: `a statement on ${table}` },
        ),
      release: async () => {
        await client.query("rollback");
        client.release();
      },
    };
  }

  async function killedAtTable(table: string, count = 1) {
    const held = await hold(table);
    const refunds = await owe(count);
    await held.waitedFor();
    await kill();
    await held.release();
    return refunds;
  }

  async function killedAtCall(method: string, isForwarded: boolean, count = 1) {
    const reached = Promise.withResolvers<void>();
    const before = proxy.calls(method);
    if (isForwarded) {
      const change = (result: unknown) => {
        reached.resolve();
        return result;
      };
      proxy.fail({ kind: "change", change }, { methods: [method] });
    } else {
      proxy.fail({ kind: "stall" }, { methods: [method] });
    }
    const refunds = await owe(count);
    if (isForwarded) await reached.promise;
    else await until(() => proxy.calls(method) > before);
    await kill();
    proxy.heal();
    return refunds;
  }

  test.each([
    ["after the nonce, before the bytes", () => killedAtTable("signed_transactions")],
    ["before the bytes leave", () => killedAtCall("eth_sendRawTransaction", false)],
    ["after the bytes left", () => killedAtCall("eth_sendRawTransaction", true)],
    ["while it looks for the receipt", () => killedAtCall("eth_getTransactionReceipt", false)],
    ["while it notes the block", () => killedAtTable("submissions")],
    ["before the bytes of a list", () => killedAtTable("signed_transactions", LIST)],
    ["while a list leaves", () => killedAtCall("eth_sendRawTransaction", true, LIST)],
  ])("%s is mined exactly once", async (_, killed) => {
    const refunds = await killed();
    start();
    const ids = refunds.map(({ id }) => id);
    await until(() => areProven(ids), { what: "the proof of the refunds" });
    const paid = await Promise.all(
      refunds.map(({ destination }) => chain.call("eth_getBalance", [destination, "latest"])),
    );
    expect(paid.map((balance) => BigInt(balance as string))).toEqual(refunds.map(() => AMOUNT));
    const sent = await chain.call("eth_getTransactionCount", [files.address, "latest"]);
    const { rows } = await database.pool.query(
      "select count(*)::int as intents, count(distinct nonce)::int as nonces from intents",
    );
    expect(rows[0]).toEqual({ intents: owed, nonces: owed });
    expect(Number(sent)).toBe(owed);
  });
});
