// What contracts moved is known from a trace alone. A provider that tells one is not believed by itself where there
// is another.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const BUYER = "0x3333333333333333333333333333333333333333";
const AMOUNT = 1_000_000n;
const TRACE = { methods: ["debug_traceTransaction"] };

interface Frame {
  calls?: { to: string; value: string }[];
}

describeChains("a trace of only one of two providers", () => {
  let chain: TestChain;
  let tracing: FaultProxy;
  let blind: FaultProxy;
  let chains: TestChains;
  let wallet: string;
  beforeAll(async () => {
    chain = await testChain();
    wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value: 100n * AMOUNT });
    [tracing, blind] = [await chain.faultProxy(), await chain.faultProxy()];
    chains = await startTestChains({ chain, providers: [tracing.url, blind.url] });
  });
  let shop = "";
  beforeEach(() => {
    shop = newWallet();
  });
  afterEach(() => tracing.heal());
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  function sendTo(to: string, value = AMOUNT) {
    return chain.send({ to: wallet, data: calls([{ to, value }]) });
  }

  function submit(txHash: string) {
    return chains.submit({ txHash, recipientAddress: shop });
  }

  function waiting(txHash: string) {
    return until(
      async () => {
        const row = await chains.transaction(txHash);
        return row?.waits_for === "agreement" && Number(row.misses) > 0 ? row : undefined;
      },
      { what: "a look that found no second opinion" },
    );
  }

  async function judge(id: string, txHash: string) {
    await chains.pool.query("update transactions set next_at = now() where tx_hash = $1", [txHash]);
    return chains.outcome(id);
  }

  function blinded() {
    blind.heal();
    blind.fail({ kind: "error", code: -32_601 }, TRACE);
  }

  test("counts where the balance of the recipient agrees", async () => {
    blinded();
    const txHash = await sendTo(shop);
    await chains.paid(await submit(txHash), AMOUNT);
    expect(await chains.transaction(txHash)).toMatchObject({ providers_agreeing: 2 });
  });

  test("is rejected where it invents the payment", async () => {
    blinded();
    function invent(result: unknown) {
      const frame = result as Frame;
      return { ...frame, calls: frame.calls?.map((call) => ({ ...call, to: shop })) };
    }

    const txHash = await sendTo(BUYER);
    tracing.fail({ kind: "change", change: invent }, TRACE);
    const id = await submit(txHash);
    expect(await waiting(txHash)).toMatchObject({ state: "waiting", providers_contradicting: 1 });
    tracing.heal();
    expect(await judge(id, txHash)).toBe("recipient_mismatch");
  });

  test("is rejected where the block brings the same amount directly", async () => {
    blinded();
    function invent(result: unknown) {
      const frame = result as Frame;
      return { ...frame, calls: frame.calls?.map((call) => ({ ...call, to: shop })) };
    }

    await chain.mineAtOnce(false);
    const txHash = await chain.submit({
      to: wallet,
      data: calls([{ to: BUYER, value: AMOUNT }]),
    });
    await chain.submit({ to: shop, value: 5n * AMOUNT });
    await chain.mine();
    await chain.mineAtOnce(true);
    tracing.fail({ kind: "change", change: invent }, TRACE);
    const id = await submit(txHash);
    expect(await waiting(txHash)).toMatchObject({ state: "waiting", providers_agreeing: 1 });
    tracing.heal();
    expect(await judge(id, txHash)).toBe("recipient_mismatch");
  });

  test("is rejected where it hides the payment", async () => {
    blinded();
    const txHash = await sendTo(shop);
    tracing.fail(
      { kind: "change", change: (result) => ({ ...(result as Frame), calls: [] }) },
      TRACE,
    );
    const id = await submit(txHash);
    expect(await waiting(txHash)).toMatchObject({ state: "waiting", providers_contradicting: 1 });
    tracing.heal();
    expect(await judge(id, txHash)).toBe("counted");
    await chains.paid(id, AMOUNT);
  });

  test("waits for a second opinion where the other provider shows no balance either", async () => {
    blinded();
    blind.fail({ kind: "error", code: -32_000 }, { methods: ["eth_getBalance"] });
    const txHash = await sendTo(shop);
    const id = await submit(txHash);
    expect(await waiting(txHash)).toMatchObject({ state: "waiting", providers_contradicting: 0 });
    blinded();
    expect(await judge(id, txHash)).toBe("counted");
  });

  test("asks for the hash of a payment without one where no provider traces", async () => {
    blinded();
    tracing.fail({ kind: "error", code: -32_601 }, TRACE);
    const id = await chains.open({ recipientAddress: shop });
    const another = await chains.open({ recipientAddress: shop, baseAmount: `${2n * AMOUNT}` });
    await chains.watched(id);
    const txHash = await sendTo(shop);
    await chains.money(id, ({ needs }) => needs === "review");
    expect(chains.told.filter(({ money }) => money.paymentId === another)).toEqual([]);
    tracing.heal();
    await chains.assign([id], txHash);
    const { needs, ...money } = await chains.paid(id, AMOUNT);
    expect([needs, money.txHash]).toEqual([undefined, txHash]);
  });
});
