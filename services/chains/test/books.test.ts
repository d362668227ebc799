// The books of a wallet from a real chain: what it received, gave back and paid for that, what else moved, and what a
// record says that the chain does not show.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { Mode } from "@pay/proto";
import { type TestChain, testChain, until } from "@pay/testing";
import { toAmount, toDecimal } from "@pay/values";
import { register } from "prom-client";
import { readArguments, reportBooks } from "../src/books/report.ts";
import { describeChains, PROJECT, SHOP, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";
import { checkedUp, listBooks, OFTEN, readBalance, TENANT } from "./kept-books.ts";

const COMMAND = fileURLToPath(new URL("../src/books/main.ts", import.meta.url));
const DAY_MS = 24 * 3_600_000;
/** Of native coin. */
function decimal(base: bigint): string {
  return toDecimal(toAmount(base), 18);
}

function today(): string[] {
  return ["--project", PROJECT, "--day", new Date().toISOString().slice(0, 10)];
}

/** A day that ends while a test runs is in it as a whole. */
function aroundNow() {
  const now = Date.now();
  return { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
}

describeChains("the books of a wallet", () => {
  let chain: TestChain;
  let chains: TestChains;
  let shop: string;
  let buyer: string;
  beforeAll(async () => {
    chain = await testChain({ slotsInAnEpoch: 1 });
    chains = await startTestChains({ chain, ...OFTEN });
    [shop = "", buyer = ""] = chain.accounts.slice(5, 7).map((account) => account.toLowerCase());
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function report() {
    return reportBooks(chains.pool, { projectId: PROJECT, ...aroundNow() });
  }

  /** The lines of an account, without what changes with each block. */
  async function readLines(symbol: string) {
    const lines = await report();
    const at = lines.findIndex((line) => line.includes(`${shop} ${symbol}:`));
    return lines
      .slice(at + 1)
      .filter((line) => line.startsWith("  "))
      .slice(0, 5);
  }

  async function differences() {
    const { rows } = await chains.pool.query("select * from book_differences order by id");
    return rows as Record<string, string>[];
  }

  async function gauge() {
    const { values } = (await register.getSingleMetric("chain_book_differences")?.get()) ?? {};
    return values?.find(({ labels }) => Number(labels.chain) === chain.chainId)?.value;
  }

  test("show what it received, gave back and paid, and what else moved, to the last unit", async () => {
    const token = chain.token.address;
    const contract = await chain.deploy(WALLET);
    await chain.payNative({ to: contract, value: 9_000n });
    const native = await chains.open({ recipientAddress: shop, baseAmount: "1000003" });
    const inToken = await chains.open({
      recipientAddress: shop,
      currency: token,
      baseAmount: "2000005",
    });
    await until(async () => (await chains.pool.query("select from book_accounts")).rowCount === 2);
    await checkedUp(chains);

    await chain.payNative({ from: buyer, to: shop, value: 1_000_003n });
    await chain.payToken({ to: shop, value: 2_000_005n });
    await Promise.all([chains.paid(native, 1_000_003n), chains.paid(inToken, 2_000_005n)]);
    const traced = await chain.send({ to: contract, data: calls([{ to: shop, value: 5_000n }]) });
    const byContract = await chains.submit({
      txHash: traced,
      recipientAddress: shop,
      baseAmount: "5000",
    });
    await chains.paid(byContract, 5_000n);
    const refund = { sourceAddress: shop, destinationAddress: buyer };
    const backTo = { from: shop, to: buyer };
    const back = await chain.payNative({ ...backTo, value: 400_001n });
    const backInToken = await chain.payToken({ ...backTo, value: 500_007n });
    const refunds = [
      await chains.submitRefund({ ...refund, txHash: back, baseAmount: "400001" }),
      await chains.submitRefund({
        ...refund,
        txHash: backInToken,
        currency: token,
        baseAmount: "500007",
      }),
    ];
    const stranger = chain.accounts[7] ?? "";
    await chain.payNative({ from: stranger, to: shop, value: 77n });
    await chain.payToken({ to: shop, value: 78n });
    await chain.send({ to: contract, data: calls([{ to: shop, value: 79n }]) });
    const out = await chain.payNative({ from: shop, to: stranger, value: 33n });
    const created = await chain.send({ from: shop, data: "0x00", value: 35n });
    const failed = await chain.send({
      from: shop,
      to: token,
      data: transferData(buyer, 10n ** 20n),
    });
    for (const id of refunds) {
      expect((await chains.verdict(id)).observation.reason).toBe("");
    }
    await checkedUp(chains);

    const receipts = await Promise.all(
      [back, backInToken, out, created, failed].map(
        (hash) =>
          chain.call("eth_getTransactionReceipt", [hash]) as Promise<Record<string, string>>,
      ),
    );
    const gas = receipts.reduce(
      (sum, { gasUsed = "0", effectiveGasPrice = "0" }) =>
        sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
      0n,
    );
    expect(receipts.map(({ status }) => status)).toEqual(["0x1", "0x1", "0x1", "0x1", "0x0"]);
    expect(await readLines("ETH")).toEqual([
      `  received  ${decimal(1_005_003n)}`,
      `  refunded  ${decimal(400_001n)}`,
      "  settled   0",
      `  foreign   ${decimal(77n + 79n)} in, ${decimal(33n + 35n)} out`,
      `  gas       ${decimal(gas)}`,
    ]);
    expect((await readLines("TUSD")).slice(0, 4)).toEqual([
      "  received  2.000005",
      "  refunded  0.500007",
      "  settled   0",
      "  foreign   0.000078 in, 0 out",
    ]);
    const found = await until(
      async () => {
        const month = new Date().toISOString().slice(0, 7);
        const books = await listBooks(chains, { month });
        const sums = books.map(({ payments, refunds }) => `${payments} ${refunds}`).sort();
        return `${sums}` === "1005003 400001,2000005 500007" && books;
      },
      { what: "the records in the sums of the month" },
    );
    const balance = await readBalance(chain, shop);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          symbol: "ETH",
          settlements: "0",
          fees: `${gas}`,
          other: `${77 + 79 - 33 - 35}`,
          otherTransfers: 4,
          carried: "0",
          closing: `${balance}`,
          balance: `${balance}`,
          difference: "0",
          isClosed: false,
          watchedSince: expect.anything(),
        }),
        expect.objectContaining({
          symbol: "TUSD",
          payments: "2000005",
          refunds: "500007",
          other: "78",
          otherTransfers: 1,
          difference: "0",
        }),
      ]),
    );
    for (const other of [{ projectId: "proj_other" }, { mode: Mode.LIVE }]) {
      expect(await listBooks(chains, { tenant: { ...TENANT, ...other } })).toEqual([]);
    }
    expect((await chains.client.listOpenBooks({ tenant: TENANT, limit: 9 })).books).toEqual([]);

    const holds = decimal(await readBalance(chain, shop));
    expect((await report()).join("\n")).toContain(`${shop} ETH: ${holds} at block`);
    expect((await report()).at(-1)).toBe("no differences");
    expect(await differences()).toEqual([]);
  });

  test("name a record that the chain does not show, until an operator has settled it", async () => {
    await checkedUp(chains);
    await chains.pool.query(
      `with paid as (
         select t.* from transfers t join allocations a on a.transfer_id = t.id
         where t.recipient = $1 and t.kind = 'native'
       ), made as (
         insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time,
           arrived_at, currency, sender, recipient, wallet, value, status)
         select chain_id, tx_hash, 'native', 9, block_number, block_hash, block_time, arrived_at, currency,
           sender, recipient, wallet, 5, 'final'
         from paid returning id
       )
       insert into allocations (transfer_id, project_id, mode, subject_id)
       select made.id, $2, 2, 'pay_forged' from made, paid`,
      [shop, PROJECT],
    );
    const [found] = await until(async () => {
      const rows = await differences();
      return rows.length > 0 && rows;
    });
    expect(found).toMatchObject({
      kind: "transfer",
      subject_id: "pay_forged",
      project_id: PROJECT,
      recorded: "5",
      on_chain: "0",
    });
    await until(async () => (await gauge()) === 1, { what: "the gauge" });
    const [open, ...others] = await until(
      async () => {
        const { books } = await chains.client.listOpenBooks({ tenant: TENANT, limit: 9 });
        return books.length > 0 && books;
      },
      { what: "the month that differs" },
    );
    expect(others).toEqual([]);
    expect(open).toMatchObject({ symbol: "ETH", difference: "-5", payments: "1005008" });
    const { book } = await chains.client.getBook({ tenant: TENANT, id: open?.id ?? "" });
    expect(book).toEqual(open);
    const asked = { tenant: { ...TENANT, mode: Mode.LIVE }, id: open?.id ?? "" };
    expect((await chains.client.getBook(asked)).book).toBeUndefined();
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...today()], {
      env: { CHAINS_DATABASE_URL: chains.database.url },
    });
    expect(stdout).toContain(
      `of pay_forged, chain ${chain.chainId} ${shop} block ${found?.block_number}: recorded 0.000000000000000005, on the chain 0 ETH`,
    );
    const recorded = decimal(1_005_008n);
    expect((await readLines("ETH"))[0]).toContain(`${decimal(1_005_003n)} (recorded: ${recorded})`);
    await chains.pool.query("update book_differences set closed_at = now()");
    await until(async () => (await gauge()) === 0, { what: "the gauge" });
    expect((await report()).at(-1)).toMatch(/, settled \d{4}-/);
  });

  test("name a balance that no movement explains", async () => {
    await checkedUp(chains);
    const before = (await differences()).length;
    const had = await readBalance(chain, shop);
    await chain.call("anvil_setBalance", [shop, `0x${(had + 11n).toString(16)}`]);
    await checkedUp(chains);
    expect((await readLines("ETH"))[3]).toContain(decimal(77n + 79n + 11n));
    expect(await differences()).toHaveLength(before);

    await chain.call("anvil_setBalance", [shop, `0x${had.toString(16)}`]);
    await checkedUp(chains);
    const rows = await differences();
    expect(rows).toHaveLength(before + 1);
    expect(rows.at(-1)).toMatchObject({
      kind: "balance",
      recorded: `${had + 11n}`,
      on_chain: `${had}`,
      subject_id: null,
    });
    const { books } = await chains.client.listOpenBooks({ tenant: TENANT, limit: 9 });
    // With the record that the chain does not show.
    expect(books.map(({ difference }) => difference)).toEqual(["-16"]);
  });

  test("are asked for with a project and a day", async () => {
    for (const args of [[], ["--project", PROJECT], ["--day", "2026-01-31"], ["--what"]]) {
      expect(() => readArguments(args)).toThrow("usage: npm run books");
    }
    const args = ["--project", PROJECT, "--day", "2026-02-30"];
    expect(() => readArguments(args)).toThrow("usage: npm run books");
    const stranger = { ...readArguments(today()), projectId: "proj_stranger" };
    expect(await reportBooks(chains.pool, stranger)).toEqual([
      "the project has no wallet that is known here",
      "no differences",
    ]);
  });
});

describeChains("books with a provider that hides transfers", () => {
  test("believe the one that shows them", async () => {
    const chain = await testChain({ slotsInAnEpoch: 1 });
    const proxy = await chain.faultProxy();
    const providers = [proxy.url, chain.rpcUrl];
    const chains = await startTestChains({ chain, providers, ...OFTEN });
    try {
      const shop = (chain.accounts[5] ?? "").toLowerCase();
      const currency = chain.token.address;
      const id = await chains.open({ recipientAddress: shop, currency, baseAmount: "1000" });
      await checkedUp(chains);
      await chain.payToken({ to: shop, value: 1_000n });
      await chains.paid(id, 1_000n);
      proxy.fail({ kind: "change", change: () => [] }, { methods: ["eth_getLogs"] });
      const asked = proxy.calls("eth_getLogs");
      await checkedUp(chains);
      expect(proxy.calls("eth_getLogs")).toBeGreaterThan(asked);
      const { rows } = await chains.pool.query("select value from book_movements where is_in");
      expect(rows).toEqual([{ value: "1000" }]);
      const found = await chains.pool.query("select from book_differences");
      expect(found.rowCount).toBe(0);
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});

describeChains("books with a provider that keeps no balances of final blocks", () => {
  test("have the movements, and the balance once one is to be had", async () => {
    const chain = await testChain({ slotsInAnEpoch: 1 });
    const proxy = await chain.faultProxy();
    proxy.fail({ kind: "error", code: -32_000 }, { methods: ["eth_getBalance"] });
    const chains = await startTestChains({ chain, providers: [proxy.url], ...OFTEN });
    try {
      const shop = (chain.accounts[5] ?? "").toLowerCase();
      const id = await chains.open({ recipientAddress: shop, baseAmount: "1000" });
      await checkedUp(chains);
      await chain.payNative({ to: shop, value: 1_000n });
      await chains.paid(id, 1_000n);
      await checkedUp(chains);
      const asked = { projectId: PROJECT, ...aroundNow() };
      const unknown = (await reportBooks(chains.pool, asked)).join("\n");
      expect(unknown).toContain(`${shop} ETH: balance unknown`);
      expect(unknown).toContain("received  0.000000000000001\n");
      proxy.heal();
      await checkedUp(chains);
      const known = decimal(await readBalance(chain, shop));
      expect((await reportBooks(chains.pool, asked)).join("\n")).toContain(`ETH: ${known} at`);
      expect((await chains.pool.query("select from book_differences")).rowCount).toBe(0);
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});

describeChains("books that are behind the block in which a token was made", () => {
  test("are opened, and have its balance once there is one", async () => {
    const chain = await testChain({ slotsInAnEpoch: 1 });
    const chains = await startTestChains({ chain, ...OFTEN });
    async function read(): Promise<{ checked_block: string; balance: string | null } | undefined> {
      const { rows } = await chains.pool.query("select checked_block, balance from book_accounts");
      return rows[0];
    }

    try {
      await chains.open({ recipientAddress: SHOP, currency: chain.token.address });
      // The books are a minute behind the head: there is no token in their first block.
      const first = await until(async () => {
        const account = await read();
        return Number(account?.checked_block) >= 0 && account;
      });
      expect(first).toEqual({ checked_block: "0", balance: null });
      await checkedUp(chains);
      expect((await read())?.balance).toBe("0");
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});
