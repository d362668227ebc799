import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { type TestChain, testChain, until } from "@pay/testing";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";
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
  beforeAll(async () => {
    chain = await testChain();
    scribe = await chain.deploy(SCRIBE);
    wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value: 100n * AMOUNT });
    const listed = { symbol: "ODD", name: "Odd", decimals: 6, address: scribe };
    chains = await startTestChains({
      chain,
      environment: { CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token, listed]) },
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function logged(topics: (string | bigint)[], data: string) {
    return chain.send({ to: scribe, data: logging(topics, data) });
  }

  async function verdictOn(
    txHash: string,
    change: { currency?: string; baseAmount?: string } = {},
  ) {
    return (await chains.verdict(await chains.submit({ txHash, currency: scribe, ...change })))
      .observation;
  }

  test("an event of exactly the standard's form does", async () => {
    const txHash = await logged([TRANSFER, BUYER, SHOP], amountData(AMOUNT));
    expect(await verdictOn(txHash)).toMatchObject({ reason: "", senderAddress: BUYER });
  });

  test("so does a mint, and the greatest amount there is", async () => {
    const txHash = await logged([TRANSFER, ZERO, SHOP], amountData(MAX));
    expect(await verdictOn(txHash)).toMatchObject({
      reason: "",
      receivedBaseAmount: MAX.toString(),
      senderAddress: ZERO,
    });
  });

  test.each([
    ["of ERC-721, with a fourth topic", [TRANSFER, BUYER, SHOP, AMOUNT], amountData(AMOUNT)],
    ["of ERC-721, without data", [TRANSFER, BUYER, SHOP, AMOUNT], "0x"],
    ["with unindexed parties", [TRANSFER], amountData(BigInt(BUYER)) + "0".repeat(128)],
    ["with one unindexed party", [TRANSFER, BUYER], amountData(AMOUNT)],
    ["of another kind", [TRANSFER + 1n, BUYER, SHOP], amountData(AMOUNT)],
    ["of no amount", [TRANSFER, BUYER, SHOP], amountData(0n)],
    ["with more than one word of data", [TRANSFER, BUYER, SHOP], `${amountData(AMOUNT)}00`],
    ["with less than one word of data", [TRANSFER, BUYER, SHOP], "0x01"],
    [
      "to something that only ends like the shop",
      [TRANSFER, BUYER, `0x01${SHOP.slice(2)}`],
      amountData(AMOUNT),
    ],
    ["without topics", [], amountData(AMOUNT)],
  ] as [string, (string | bigint)[], string][])(
    "an event %s does not",
    async (_what, topics, data) => {
      expect((await verdictOn(await logged(topics, data))).reason).toBe("recipient_mismatch");
    },
  );

  test("an event that an unlisted contract logs in a victim's name does not", async () => {
    const fake = await chain.deploy(SCRIBE);
    const data = logging([TRANSFER, BUYER, SHOP], amountData(AMOUNT));
    const txHash = await chain.send({ to: fake, data });
    expect((await verdictOn(txHash)).reason).toBe("recipient_mismatch");
  });

  test("a fee that the token takes on the way is missing from the payment", async () => {
    const net = logging([TRANSFER, BUYER, SHOP], amountData(AMOUNT - 10_000n));
    const fee = logging([TRANSFER, BUYER, ZERO], amountData(10_000n));
    const data = calls([
      { to: scribe, data: net },
      { to: scribe, data: fee },
    ]);
    expect(await verdictOn(await chain.send({ to: wallet, data }))).toMatchObject({
      reason: "underpaid",
      receivedBaseAmount: "990000",
    });
  });

  test("native coin sent by a contract wallet does, with the wallet as its sender", async () => {
    const txHash = await chain.send({ to: wallet, data: calls([{ to: SHOP, value: AMOUNT }]) });
    expect(await verdictOn(txHash, { currency: "native" })).toMatchObject({
      reason: "",
      receivedBaseAmount: "1000000",
      senderAddress: wallet,
    });
  });

  test("native coin sent in two parts by a contract wallet is summed up", async () => {
    const data = calls([
      { to: SHOP, value: 400_000n },
      { to: BUYER, value: 5n },
      { to: SHOP, value: 600_000n },
    ]);
    const txHash = await chain.send({ to: wallet, data });
    expect(await verdictOn(txHash, { currency: "native" })).toMatchObject({
      reason: "",
      receivedBaseAmount: "1000000",
    });
  });

  test("native coin moved inside a call that failed does not, though the transaction succeeded", async () => {
    const regretter = await chain.deploy(REGRETTER);
    const before = await chain.call("eth_getBalance", [SHOP, "latest"]);
    const inner = { to: regretter, value: AMOUNT, data: addressData(SHOP) };
    const txHash = await chain.send({ to: wallet, data: calls([inner]) });
    expect((await chain.receipt(txHash))?.status).toBe("0x1");
    expect(await chain.call("eth_getBalance", [SHOP, "latest"])).toBe(before);
    expect((await verdictOn(txHash, { currency: "native" })).reason).toBe("recipient_mismatch");
  });

  test("a token moved inside a call that failed does not", async () => {
    await chain.payToken({ to: wallet, value: 5n });
    const tooMuch = { to: chain.token.address, data: transferData(SHOP, AMOUNT) };
    const txHash = await chain.send({ to: wallet, data: calls([tooMuch]) });
    expect((await chain.receipt(txHash))?.status).toBe("0x1");
    expect((await verdictOn(txHash, { currency: chain.token.address })).reason).toBe(
      "recipient_mismatch",
    );
  });

  test("native coin left behind by a contract that ends does", async () => {
    const will = await chain.deploy(WILL);
    await chain.payNative({ to: will, value: AMOUNT });
    const txHash = await chain.send({ to: will, data: addressData(SHOP) });
    expect(await verdictOn(txHash, { currency: "native" })).toMatchObject({
      reason: "",
      receivedBaseAmount: "1000000",
      senderAddress: will,
    });
  });

  test("native coin that no provider can trace is reported at the expiry and not abandoned", async () => {
    const proxy = await chain.faultProxy();
    proxy.fail({ kind: "error", code: -32_601 }, { methods: ["debug_traceTransaction"] });
    const blind = await startTestChains({ chain, providers: [proxy.url] });
    function readEvents(id: string) {
      return blind.seen.filter(({ observation }) => observation.subjectId === id);
    }

    async function eventsWritten() {
      const { rows } = await blind.pool.query(
        "select last_value from pg_sequences where sequencename = 'outbox_id_seq'",
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.last_value;
    }

    async function again(id: string) {
      const looked = (await blind.candidate(id)).looked_at as Date;
      await blind.pool.query("update candidates set next_at = now() where subject_id = $1", [id]);
      await until(async () => ((await blind.candidate(id)).looked_at as Date) > looked, {
        what: "another look",
      });
    }

    try {
      const txHash = await chain.send({ to: wallet, data: calls([{ to: SHOP, value: AMOUNT }]) });
      const minedAt = await chain.blockTime(txHash);
      const expires = new Date(Math.max(minedAt.getTime(), Date.now()) + 1_000);
      const id = await blind.submit({ txHash, expires });
      // Long over: without an end of its time it would have been given up.
      const old = await blind.submit({
        txHash: await chain.send({ to: wallet, data: calls([{ to: SHOP, value: AMOUNT }]) }),
        expires: new Date(Date.now() - 3 * 3_600_000),
        created: new Date(Date.now() - 4 * 3_600_000),
      });
      await until(() => readEvents(old).length === 2 && readEvents(id).length === 2, {
        what: "the events of both",
      });
      const block = BigInt((await chain.receipt(txHash))?.blockNumber ?? 0);
      const said = readEvents(id).toSorted((one, other) => (one.type < other.type ? -1 : 1));
      expect(said).toMatchObject([
        { type: "transfer.unproven", observation: { txHash, blockNumber: block } },
        { type: "transfer.waiting", observation: { txHash, needs: "review" } },
      ]);
      const before = await eventsWritten();
      await again(id);
      await again(old);
      expect(await eventsWritten()).toBe(before);
      expect(await blind.candidate(old)).toMatchObject({ state: "waiting", waits_for: "trace" });
      proxy.heal();
      await blind.pool.query("update candidates set next_at = now()");
      await until(() => readEvents(id).length === 3 && readEvents(old).length === 3, {
        what: "verdicts",
      });
      expect(readEvents(id)[2]).toMatchObject({ type: "transfer.confirmed" });
      expect(readEvents(old)[2]).toMatchObject({ observation: { reason: "late" } });
    } finally {
      await blind.stop();
    }
  });

  test("native coin that no provider can trace neither confirms nor fails", async () => {
    const proxy = await chain.faultProxy();
    proxy.fail({ kind: "error", code: -32_601 }, { methods: ["debug_traceTransaction"] });
    const blind = await startTestChains({ chain, providers: [proxy.url] });
    function readEvents(id: string) {
      return blind.seen.filter(({ observation }) => observation.subjectId === id);
    }

    try {
      const txHash = await chain.send({ to: wallet, data: calls([{ to: SHOP, value: AMOUNT }]) });
      const id = await blind.submit({ txHash });
      await blind.missed(id);
      expect(await blind.candidate(id)).toMatchObject({ state: "waiting" });
      const said = await until(() => readEvents(id).length > 0 && readEvents(id), {
        what: "a need",
      });
      expect(said).toMatchObject([{ type: "transfer.waiting", observation: { needs: "review" } }]);
      // What ran no code needs no trace.
      const plain = await blind.submit({ txHash: await chain.payNative({ to: BUYER, value: 1n }) });
      expect((await blind.verdict(plain)).observation.reason).toBe("recipient_mismatch");
      proxy.heal();
      expect(await blind.verdict(id)).toMatchObject({ type: "transfer.confirmed" });
    } finally {
      await blind.stop();
    }
  });
});
