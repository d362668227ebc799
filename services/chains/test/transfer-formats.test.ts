import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { type TestChain, testChain, until } from "@pay/testing";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import {
  addressData,
  amountData,
  calls,
  logging,
  REGRETTER,
  SCRIBE,
  WALLET,
  WILL,
} from "./contracts.ts";

const TRANSFER = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn;
const BUYER = "0x3333333333333333333333333333333333333333";
const ZERO = "0x0000000000000000000000000000000000000000";
const AMOUNT = 1_000_000n;
const MAX = 2n ** 256n - 1n;

describeChains("what counts as a transfer", () => {
  let chain: TestChain;
  let chains: TestChains;
  /** A listed token that logs what the test orders. */
  let scribe: string;
  let wallet: string;
  let shop = "";
  beforeEach(() => {
    shop = newWallet();
  });
  beforeAll(async () => {
    chain = await testChain();
    scribe = await chain.deploy(SCRIBE);
    wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value: 100n * AMOUNT });
    const listed = { symbol: "ODD", name: "Odd", decimals: 6, address: scribe };
    chains = await startTestChains({
      chain,
      tokens: [chain.token, listed],
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function logged(topics: (string | bigint)[], data: string) {
    return chain.send({ to: scribe, data: logging(topics, data) });
  }

  function submit(txHash: string, currency = scribe, baseAmount = AMOUNT) {
    return chains.submit({ txHash, currency, recipientAddress: shop, baseAmount: `${baseAmount}` });
  }

  async function judge(txHash: string, currency = scribe) {
    return chains.outcome(await submit(txHash, currency));
  }

  /** So much is proven, and from whom. */
  async function paid(txHash: string, amount = AMOUNT, currency = scribe) {
    const { senders } = await chains.paid(await submit(txHash, currency, amount), amount);
    return senders.map(({ address }) => address);
  }

  test("an event of exactly the standard's form does", async () => {
    const txHash = await logged([TRANSFER, BUYER, shop], amountData(AMOUNT));
    expect(await paid(txHash)).toEqual([BUYER]);
  });

  test("so does a mint, and the greatest amount there is", async () => {
    const txHash = await logged([TRANSFER, ZERO, shop], amountData(MAX));
    expect(await paid(txHash, MAX)).toEqual([ZERO]);
  });

  test.each<[string, (shop: string) => (string | bigint)[], string]>([
    ["of ERC-721, with a fourth topic", (to) => [TRANSFER, BUYER, to, AMOUNT], amountData(AMOUNT)],
    ["of ERC-721, without data", (to) => [TRANSFER, BUYER, to, AMOUNT], "0x"],
    ["with unindexed parties", () => [TRANSFER], amountData(BigInt(BUYER)) + "0".repeat(128)],
    ["with one unindexed party", () => [TRANSFER, BUYER], amountData(AMOUNT)],
    ["of another kind", (to) => [TRANSFER + 1n, BUYER, to], amountData(AMOUNT)],
    ["of no amount", (to) => [TRANSFER, BUYER, to], amountData(0n)],
    ["with more than one word of data", (to) => [TRANSFER, BUYER, to], `${amountData(AMOUNT)}00`],
    ["with less than one word of data", (to) => [TRANSFER, BUYER, to], "0x01"],
    [
      "to something that only ends like the shop",
      (to) => [TRANSFER, BUYER, `0x01${to.slice(2)}`],
      amountData(AMOUNT),
    ],
    ["without topics", () => [], amountData(AMOUNT)],
  ])("an event %s does not", async (_what, topics, data) => {
    expect(await judge(await logged(topics(shop), data))).toBe("recipient_mismatch");
  });

  test("an event that an unlisted contract logs in a victim's name does not", async () => {
    const fake = await chain.deploy(SCRIBE);
    const data = logging([TRANSFER, BUYER, shop], amountData(AMOUNT));
    const txHash = await chain.send({ to: fake, data });
    expect(await judge(txHash)).toBe("recipient_mismatch");
  });

  test("a fee that the token takes on the way is missing from the payment", async () => {
    const net = logging([TRANSFER, BUYER, shop], amountData(AMOUNT - 10_000n));
    const fee = logging([TRANSFER, BUYER, ZERO], amountData(10_000n));
    const data = calls([
      { to: scribe, data: net },
      { to: scribe, data: fee },
    ]);
    const id = await submit(await chain.send({ to: wallet, data }));
    await chains.paid(id, AMOUNT - 10_000n);
  });

  test("native coin sent by a contract wallet does, with the wallet as its sender", async () => {
    const txHash = await chain.send({ to: wallet, data: calls([{ to: shop, value: AMOUNT }]) });
    expect(await paid(txHash, AMOUNT, "native")).toEqual([wallet]);
  });

  test("native coin sent in two parts by a contract wallet is summed up", async () => {
    const data = calls([
      { to: shop, value: 400_000n },
      { to: BUYER, value: 5n },
      { to: shop, value: 600_000n },
    ]);
    const txHash = await chain.send({ to: wallet, data });
    expect(await paid(txHash, AMOUNT, "native")).toEqual([wallet]);
  });

  test("native coin moved inside a call that failed does not, though the transaction succeeded", async () => {
    const regretter = await chain.deploy(REGRETTER);
    const before = await chain.call("eth_getBalance", [shop, "latest"]);
    const inner = { to: regretter, value: AMOUNT, data: addressData(shop) };
    const txHash = await chain.send({ to: wallet, data: calls([inner]) });
    expect((await chain.receipt(txHash))?.status).toBe("0x1");
    expect(await chain.call("eth_getBalance", [shop, "latest"])).toBe(before);
    expect(await judge(txHash, "native")).toBe("recipient_mismatch");
  });

  test("a token moved inside a call that failed does not", async () => {
    await chain.payToken({ to: wallet, value: 5n });
    const tooMuch = { to: chain.token.address, data: transferData(shop, AMOUNT) };
    const txHash = await chain.send({ to: wallet, data: calls([tooMuch]) });
    expect((await chain.receipt(txHash))?.status).toBe("0x1");
    expect(await judge(txHash, chain.token.address)).toBe("recipient_mismatch");
  });

  test("native coin left behind by a contract that ends does", async () => {
    const will = await chain.deploy(WILL);
    await chain.payNative({ to: will, value: AMOUNT });
    const txHash = await chain.send({ to: will, data: addressData(shop) });
    expect(await paid(txHash, AMOUNT, "native")).toEqual([will]);
  });

  test("native coin that no provider can trace needs a review, and counts once it is traced", async () => {
    const proxy = await chain.faultProxy();
    proxy.fail({ kind: "error", code: -32_601 }, { methods: ["debug_traceTransaction"] });
    const blind = await startTestChains({ chain, providers: [proxy.url] });
    function pay(to: string) {
      return chain.send({ to: wallet, data: calls([{ to, value: AMOUNT }]) });
    }

    try {
      const txHash = await pay(shop);
      const id = await blind.submit({ txHash, recipientAddress: shop });
      // Long over: without an end of its time it would have been given up.
      const other = newWallet();
      const lateHash = await pay(other);
      const old = await blind.submit({
        txHash: lateHash,
        recipientAddress: other,
        expires: new Date(Date.now() - 3 * 3_600_000),
        created: new Date(Date.now() - 4 * 3_600_000),
      });
      for (const one of [id, old]) {
        const money = await blind.money(one, ({ needs }) => needs === "review");
        expect(money).toMatchObject({ seenBaseAmount: "0", hashes: [{ isMined: true }] });
        expect(money.hashes[0]?.outcome).toBeUndefined();
      }
      const told = blind.told.length;
      for (const hash of [txHash, lateHash]) {
        const looked = (await blind.transaction(hash))?.looked_at as Date;
        await blind.pool.query("update transactions set next_at = now() where tx_hash = $1", [
          hash,
        ]);
        await until(async () => ((await blind.transaction(hash))?.looked_at as Date) > looked, {
          what: "another look",
        });
        expect(await blind.transaction(hash)).toMatchObject({
          state: "waiting",
          waits_for: "trace",
        });
      }
      await blind.settled();
      expect(blind.told).toHaveLength(told);
      // What ran no code needs no trace.
      const plain = await blind.submit({
        txHash: await chain.payNative({ to: BUYER, value: 1n }),
        recipientAddress: newWallet(),
      });
      expect(await blind.outcome(plain)).toBe("recipient_mismatch");
      proxy.heal();
      await blind.pool.query("update transactions set next_at = now() where state = 'waiting'");
      expect((await blind.paid(id, AMOUNT)).needs).toBeUndefined();
      const late = await blind.money(old, ({ lateFinalBaseAmount }) => lateFinalBaseAmount !== "0");
      expect(late).toMatchObject({ seenBaseAmount: "0", lateFinalBaseAmount: "1000000" });
    } finally {
      await blind.stop();
    }
  });
});
