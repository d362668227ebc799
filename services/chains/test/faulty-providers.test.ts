import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Fault, type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import type { Bounds } from "../src/start.ts";
import {
  describeChains,
  newWallet,
  SOON_UNANSWERED,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
let shop = "";
beforeEach(() => {
  shop = newWallet();
});

const ANSWER_BYTES_MAX = 1_000_000;
const RECEIPT = ["eth_getTransactionReceipt"];

interface Receipt {
  blockHash: string;
  logsBloom: string;
  status: string;
  logs: { address: string; logIndex: string; removed?: boolean; topics: string[]; data: string }[];
}

describeChains("the only provider", () => {
  let chain: TestChain;
  let proxy: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    proxy = await chain.faultProxy();
    chains = await startTestChains({
      chain,
      providers: [proxy.url],
      bounds: { ...SOON_UNANSWERED, responseBytesMax: ANSWER_BYTES_MAX },
    });
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function payToken() {
    return chain.payToken({ to: shop, value: AMOUNT });
  }

  function inToken(txHash: string) {
    return chains.submit({ txHash, recipientAddress: shop, currency: chain.token.address });
  }

  function lookSoon(txHash: string) {
    return chains.pool.query("update transactions set next_at = now() where tx_hash = $1", [
      txHash,
    ]);
  }

  test.each([
    ["does not answer", { kind: "stall" }],
    ["hangs up", { kind: "hang-up" }],
    ["asks for patience", { kind: "status", status: 429 }],
    ["is down", { kind: "status", status: 502, body: "<html>Bad Gateway</html>" }],
    ["shows a web page", { kind: "text", body: "<!doctype html><title>Sign in</title>" }],
    ["stops in the middle", { kind: "text", body: '{"jsonrpc":"2.0","id":1,"resu' }],
    ["answers another question", { kind: "wrong-id" }],
    ["refuses", { kind: "error", code: -32_000 }],
    ["has reached a limit", { kind: "error", code: -32_005 }],
    ["says something else than a receipt", { kind: "change", change: () => "0x1" }],
    ["says nothing is known", { kind: "change", change: () => null }],
  ] as [string, Fault][])(
    "that %s delays the verdict and changes nothing about it",
    async (_what, fault) => {
      const txHash = await payToken();
      proxy.fail(fault, { methods: [...RECEIPT, "eth_getTransactionByHash"] });
      const id = await inToken(txHash);
      await chains.missed(txHash);
      expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
      proxy.heal();
      await chains.paid(id, AMOUNT);
    },
  );

  const forged: [string, (receipt: Receipt, real: Receipt) => Receipt][] = [
    ["of another block", (receipt) => ({ ...receipt, blockHash: `0x${"11".repeat(32)}` })],
    ["with its logs left out", (receipt) => ({ ...receipt, logs: [] })],
    [
      "with a log twice",
      (receipt) => ({ ...receipt, logs: receipt.logs.flatMap((log) => [log, log]) }),
    ],
    [
      "with a gap in the places of its logs",
      (receipt) => ({
        ...receipt,
        logs: receipt.logs.flatMap((log) => [
          log,
          { ...log, logIndex: `0x${(Number(log.logIndex) + 2).toString(16)}` },
        ]),
      }),
    ],
    [
      "with a log that was removed",
      (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, removed: true })) }),
    ],
    [
      "with a log its bloom does not know",
      (receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log) => ({
          ...log,
          topics: [
            log.topics[0] ?? "",
            log.topics[2] ?? "",
            `0x${"0".repeat(24)}${"7".repeat(40)}`,
          ],
        })),
      }),
    ],
    ["of a failure that logs", (receipt) => ({ ...receipt, status: "0x0" })],
  ];
  test.each(forged)("that returns a receipt %s is rejected", async (_what, forge) => {
    const txHash = await payToken();
    function change(result: unknown) {
      return forge(result as Receipt, result as Receipt);
    }

    proxy.fail({ kind: "change", change }, { methods: RECEIPT });
    const id = await inToken(txHash);
    await chains.missed(txHash);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
    proxy.heal();
    await chains.paid(id, AMOUNT);
  });

  test("that returns too much is cut off", async () => {
    const txHash = await payToken();
    function change(result: unknown) {
      return { ...(result as object), more: "x".repeat(ANSWER_BYTES_MAX) };
    }

    proxy.fail({ kind: "change", change }, { methods: RECEIPT });
    const id = await inToken(txHash);
    await chains.missed(txHash);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
    proxy.heal();
    await chains.paid(id, AMOUNT);
  });

  test("that loses a receipt is retried until it returns it again", async () => {
    const txHash = await payToken();
    proxy.fail({ kind: "change", change: () => null }, { methods: RECEIPT });
    const id = await inToken(txHash);
    // The transaction itself is known, so the shop's payment is not lost.
    await until(async () => (await chains.transaction(txHash))?.sender);
    await lookSoon(txHash);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
    proxy.heal();
    await chains.paid(id, AMOUNT);
  });
});

describeChains("two providers", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let second: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    [first, second] = [await chain.faultProxy(), await chain.faultProxy()];
  });
  // A service of its own for each test: what one test has spoiled rests for a while.
  beforeEach(() => start({}));
  afterEach(async () => {
    first.heal();
    second.heal();
    await chains?.stop();
  });
  afterAll(() => chain?.stop());

  /** Patient with them: one that is only slow would have no say either. */
  async function start(bounds: Partial<Bounds>) {
    const before = second.calls("eth_getBlockByNumber");
    chains = await startTestChains({ chain, providers: [first.url, second.url], bounds });
    // One that names its chain late has no say until then; it is asked for blocks only afterwards.
    await until(() => second.calls("eth_getBlockByNumber") > before, {
      what: "the second opinion",
    });
  }

  function pay() {
    return chain.payToken({ to: shop, value: AMOUNT });
  }

  function submit(txHash: string) {
    return chains.submit({ txHash, recipientAddress: shop, currency: chain.token.address });
  }

  async function paid(txHash: string) {
    await chains.paid(await submit(txHash), AMOUNT);
  }

  test("both take part in a verdict", async () => {
    const before = [first.calls(RECEIPT[0]), second.calls(RECEIPT[0])];
    await paid(await pay());
    expect(first.calls(RECEIPT[0])).toBeGreaterThan(before[0] ?? 0);
    expect(second.calls(RECEIPT[0])).toBeGreaterThan(before[1] ?? 0);
  });

  test.each(["stall", "hang-up"] as const)("one that fails (%s) is done without", async (kind) => {
    await chains.stop();
    await start(SOON_UNANSWERED);
    first.fail({ kind });
    await paid(await pay());
  });

  test.each([0, 1])(
    "one that stands still (%s) hides no transaction and delays none",
    async (at) => {
      const still = [first, second][at] as FaultProxy;
      const txHash = await pay();
      still.lag(1);
      await paid(txHash);
    },
  );

  test("that disagree about the block or about what happened confirm nothing", async () => {
    function paidTenTimes(receipt: Receipt): Receipt {
      return {
        ...receipt,
        logs: receipt.logs.map((log) => ({
          ...log,
          data: `${log.data.slice(0, -7)}f${log.data.slice(-6)}`,
        })),
      };
    }

    const other = { kind: "change", change: (r: unknown) => paidTenTimes(r as Receipt) } as const;
    for (const liar of [first, second]) {
      const txHash = await pay();
      liar.fail(other, { methods: RECEIPT });
      const id = await submit(txHash);
      await chains.missed(txHash);
      expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
      liar.heal();
      expect((await chains.paid(id, AMOUNT)).seenBaseAmount).toBe("1000000");
      shop = newWallet();
    }
  });

  test("one on another chain receives no request for transactions", async () => {
    const stranger = await testChain({ chainId: 5 });
    const wrong = await stranger.faultProxy();
    const both = await startTestChains({ chain, providers: [wrong.url, second.url] });
    try {
      const payment = { recipientAddress: shop, currency: chain.token.address };
      await both.paid(await both.submit({ txHash: await pay(), ...payment }), AMOUNT);
      expect(wrong.calls("eth_chainId")).toBeGreaterThan(0);
      expect(wrong.calls()).toBe(wrong.calls("eth_chainId"));
    } finally {
      await both.stop();
      await stranger.stop();
    }
  });
});
