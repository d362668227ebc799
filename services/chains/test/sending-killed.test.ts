// A process that signs is killed (SIGKILL) at each place between the nonce and the end of a transfer. Whatever it had
// done, the refund is mined exactly once: the stored bytes are sent again, and no second nonce is ever taken. What
// payers have signed is spent once for its payment, or it can be spent no more.
// TEST_SEED=1 TEST_RUNS=12 npm test -- services/chains/test/sending-killed.test.ts: 2,016 of those.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transaction } from "@pay/database";
import { leasePort } from "@pay/embedded";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { ChainsService, EventSchema, Mode } from "@pay/proto";
import { type Client, connect } from "@pay/rpc";
import {
  type FaultProxy,
  patient,
  shareCompiledCode,
  type TestChain,
  type TestDatabase,
  testChain,
  testDatabase,
  testSeeds,
  until,
} from "@pay/testing";
import { newId, toAddress, toAmount } from "@pay/values";
import { Wallet } from "ethers";
import { takePayments } from "../src/consumers/take-payments.ts";
import { insertIntents } from "../src/payouts/storage/intents.ts";
import { NATIVE } from "../src/providers/domain/transfer.ts";
import { describeChains, newWallet, PROJECT, servePayments } from "./chains.ts";
import { createPayer, type Payer, type SignedTransfer } from "./payers.ts";
import { type KeyFiles, keyFiles, signerFor } from "./paying-wallet.ts";
import { createPublisher } from "./publisher.ts";

const MAIN = fileURLToPath(new URL("sender/main.ts", import.meta.url));
const AMOUNT = 1_000n;
/** More than a wallet has under way at once. */
const LIST = 24;
const SPONSOR = { gasPerDay: "1000", gasPerProjectDay: "1000" };
/** On the chain, whose clock a test sets. */
const VALID_S = 60;

/** What becomes of an authorization while the process is away. */
const FATES = ["left", "cancelled", "left", "sent", "left", "expired"] as const;

interface Submitted extends SignedTransfer {
  fate: (typeof FATES)[number];
  answer: Promise<unknown>;
}

describeChains("a refund whose sender is killed", () => {
  let chain: TestChain;
  let proxy: FaultProxy;
  let database: TestDatabase;
  let files: KeyFiles;
  let life: Lifecycle;
  let payments: { address: string };
  let publisher: ReturnType<typeof createPublisher>;
  let client: Client<typeof ChainsService>;
  let port: number;
  let payer: Payer;
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
    publisher = createPublisher({ publish: takeIn }, chain);
    payments = await servePayments(life, async (wallets) => publisher.listOpen(wallets));
    port = await leasePort();
    client = patient(connect(ChainsService, `127.0.0.1:${port}`, life));
    payer = createPayer(chain, Wallet.createRandom());
    await chain.payToken({ to: payer.address, value: 10n ** 12n });
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
        ...shareCompiledCode(),
        CHAINS_DATABASE_URL: database.url,
        CHAINS_GRPC_PORT: `${port}`,
        PAYMENTS_ADDRESS: payments.address,
        CHAINS_LOCAL: JSON.stringify({ rpcUrl: proxy.url, tokens: [chain.token] }),
        CHAINS_SIGNERS: signerFor(chain, files, { sponsor: SPONSOR }),
      },
    });
  }

  /** As its consumer does, which has no broker here. */
  async function takeIn(records: readonly { payload: Uint8Array }[]) {
    const events = records.map(({ payload }) => fromBinary(EventSchema, payload));
    await transaction(database.pool, (db) => takePayments(db, events, new Date()));
  }

  async function kill() {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
  }

  async function owe(count = 1): Promise<{ id: string; destination: string }[]> {
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

  async function killedAtTable<T>(table: string, act: () => Promise<T>): Promise<T> {
    const held = await hold(table);
    const done = await act();
    await held.waitedFor();
    await kill();
    await held.release();
    return done;
  }

  async function killedAtCall<T>(method: string, isForwarded: boolean, act: () => Promise<T>) {
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
    const done = await act();
    if (isForwarded) await reached.promise;
    else await until(() => proxy.calls(method) > before);
    await kill();
    proxy.heal();
    return done;
  }

  test.each([
    ["after the nonce, before the bytes", () => killedAtTable("signed_transactions", owe)],
    ["before the bytes leave", () => killedAtCall("eth_sendRawTransaction", false, owe)],
    ["after the bytes left", () => killedAtCall("eth_sendRawTransaction", true, owe)],
    ["while it looks for the receipt", () => killedAtCall("eth_getTransactionReceipt", false, owe)],
    ["while it notes the block", () => killedAtTable("submissions", owe)],
    ["before the bytes of a list", () => killedAtTable("signed_transactions", () => owe(LIST))],
    ["while a list leaves", () => killedAtCall("eth_sendRawTransaction", true, () => owe(LIST))],
  ])("%s is mined exactly once", async (_, killed) => {
    const refunds = await killed();
    start();
    const ids = refunds.map(({ id }) => id);
    await until(() => areProven(ids), { what: "the proof of the refunds" });
    const paid = await Promise.all(
      refunds.map(({ destination }) => chain.call("eth_getBalance", [destination, "latest"])),
    );
    expect(paid.map((balance) => BigInt(balance as string))).toEqual(refunds.map(() => AMOUNT));
    const { rows } = await database.pool.query("select count(nonce)::int as signed from intents");
    expect(rows[0]).toEqual({ signed: owed });
    await expectOneNonceEach();
  });

  /** Of all that was signed. */
  async function expectOneNonceEach() {
    const sent = await chain.call("eth_getTransactionCount", [files.address, "latest"]);
    const { rows } = await database.pool.query(
      "select count(nonce)::int as signed, count(distinct nonce)::int as nonces from intents",
    );
    expect(rows[0]).toEqual({ signed: Number(sent), nonces: Number(sent) });
  }

  function submit({ data: _, ...request }: SignedTransfer) {
    return client.submitAuthorization(request);
  }

  async function latestTime() {
    const block = await chain.call("eth_getBlockByNumber", ["latest", false]);
    return Number((block as { timestamp: string }).timestamp);
  }

  /** Each for a payment of its own. A lost answer is asked for again; what is over by then is refused. */
  async function submitAll(): Promise<Submitted[]> {
    const time = await latestTime();
    const orders = Array.from({ length: LIST }, async (_, at) => {
      const fate = FATES[at % FATES.length] as (typeof FATES)[number];
      const shop = newWallet();
      const end = time + VALID_S ** 3;
      const paymentId = await publisher.publish({
        type: "payment.created",
        recipientAddress: shop,
        currency: chain.token.address,
        baseAmount: `${AMOUNT}`,
        expires: new Date(end * 1_000),
      });
      const validBefore = BigInt(fate === "expired" ? time + VALID_S : end);
      const signed = await payer.sign({ paymentId, shop, amount: AMOUNT }, { validBefore });
      return { ...signed, fate };
    });
    const signed = await Promise.all(orders);
    return signed.map(({ fate, ...one }) => ({
      ...one,
      fate,
      answer: until(() => submit(one).catch(() => undefined), { what: "an answer" }),
    }));
  }

  /** What payers and others do before the process is back. */
  async function meetFates(submitted: readonly Submitted[]) {
    for (const one of submitted) {
      if (one.fate === "cancelled") await payer.cancel(one);
      if (one.fate === "sent") await payer.send(one);
    }
    await chain.setNextBlockTime((await latestTime()) + VALID_S + 1);
    await chain.mineAtOnce(true);
    await chain.mine();
  }

  async function killedUnmined() {
    await chain.mineAtOnce(false);
    const submitted = await submitAll();
    await Promise.all(submitted.map(({ answer }) => answer));
    await kill();
    return submitted;
  }

  async function killedWhenMined() {
    await chain.mineAtOnce(false);
    const submitted = await submitAll();
    await Promise.all(submitted.map(({ answer }) => answer));
    return killedAtTable("authorizations", async () => {
      await chain.mineAtOnce(true);
      await chain.mine();
      return submitted;
    });
  }

  async function listOpen(paymentIds: readonly string[]) {
    await database.pool.query(
      "update intents set next_at = now() where kind = 'authorization' and next_at > now() + interval '3 seconds'",
    );
    const { rows } = await database.pool.query(
      "select from authorizations where payment_id = any($1) and state = 'open'",
      [paymentIds],
    );
    return rows;
  }

  async function listConfirmed(paymentIds: readonly string[]) {
    const { rows } = await database.pool.query(
      `select d.payment_id from attributions d join payment_sums s using (project_id, payment_id)
       where d.payment_id = any($1) and d.rule = 'authorization' and s.money ->> 'final' = '${AMOUNT}'`,
      [paymentIds],
    );
    return rows.map(({ payment_id }) => payment_id as string).sort();
  }

  test.each(
    testSeeds([1]).flatMap((): [string, () => Promise<Submitted[]>][] => [
      ["before it is stored", () => killedAtTable("authorizations", submitAll)],
      ["after the nonce, before the bytes", () => killedAtTable("signed_transactions", submitAll)],
      ["before it leaves", () => killedAtCall("eth_sendRawTransaction", false, submitAll)],
      ["while it leaves", () => killedAtCall("eth_sendRawTransaction", true, submitAll)],
      ["before its block", killedUnmined],
      [
        "while it looks for the receipt",
        () => killedAtCall("eth_getTransactionReceipt", false, submitAll),
      ],
      ["while it notes its block", killedWhenMined],
    ]),
  )("an authorization %s is spent once for its payment, or never", async (_, killed) => {
    const submitted = await killed();
    await meetFates(submitted);
    start();
    await Promise.all(submitted.map(({ answer }) => answer));
    const ids = submitted.map(({ paymentId }) => paymentId);
    await until(async () => (await listOpen(ids)).length === 0, { what: "the ends of all" });
    const time = await latestTime();
    const paid: string[] = [];
    for (const one of submitted) {
      const sum = await payer.balance(one.recipient);
      if (sum > 0n) paid.push(one.paymentId);
      const isOver = await payer.isOver(one);
      expect(sum).toBe(sum > 0n || one.fate === "left" ? AMOUNT : 0n);
      expect(isOver || time >= one.validBefore).toBe(true);
    }
    await until(async () => (await listConfirmed(ids)).length === paid.length, {
      what: "the payments that were paid",
    });
    expect(await listConfirmed(ids)).toEqual(paid.sort());
    const { rows } = await database.pool.query(
      "select payment_id from authorizations where payment_id = any($1) and state = 'used'",
      [ids],
    );
    expect(paid).toEqual(expect.arrayContaining(rows.map(({ payment_id }) => payment_id)));
    await expectOneNonceEach();
  });
});
