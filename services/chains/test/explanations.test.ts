import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import {
  describeChains,
  PROJECT,
  SHOP,
  startTestChains,
  type TestChains,
  toAnswer,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const UNKNOWN = `0x${"cd".repeat(32)}`;
const DEPTH = 3;
const tenant = { projectId: PROJECT, mode: Mode.TEST };

describeChains("the explanation of a payment", () => {
  let chains: TestChains;
  let buyer: string;
  beforeAll(async () => {
    const finality = { 31337: { mode: "confirmations", confirmations: DEPTH } };
    chains = await startTestChains({
      environment: { CHAINS_FINALITY: JSON.stringify(finality) },
      isAnswering: false,
    });
    buyer = chains.chain.accounts[1] ?? "";
  });
  afterAll(() => chains?.stop());

  async function explained(paymentId: string, owner = tenant, service = chains) {
    const { transactions, finality } = await service.client.explainPayment({
      tenant: owner,
      paymentId,
    });
    return { transactions, finality };
  }

  /** A payment whose transfer the follower has found, and asks for. */
  async function found(recipientAddress: string) {
    const id = await chains.open({ recipientAddress });
    await chains.watched(id);
    const value = AMOUNT;
    const txHash = await chains.chain.payNative({ from: buyer, to: recipientAddress, value });
    await until(async () => (await chains.candidate(id))?.asked_at ?? undefined, {
      what: "the found transfer",
    });
    return { id, recipientAddress, txHash };
  }

  test("has the chain as the source of a found transaction, also after payments has processed it", async () => {
    const { id, txHash } = await found(`0x${"6f".repeat(20)}`);
    expect((await explained(id)).transactions).toMatchObject([{ source: "chain" }]);
    await chains.bus.publish([toAnswer(chains.chain, { subjectId: id, txHash })]);
    await until(async () => Number((await chains.candidate(id))?.attempt) > 0);
    expect((await explained(id)).transactions).toMatchObject([{ source: "chain" }]);
  });

  test("has the merchant as the source of its hash, also where the transfer was found first", async () => {
    const payment = await found(`0x${"6e".repeat(20)}`);
    await chains.submit({ ...payment, merchantSubmitted: true });
    await until(async () => Number((await chains.candidate(payment.id))?.attempt) > 0);
    expect((await explained(payment.id)).transactions).toMatchObject([{ source: "merchant" }]);
  });

  /** The rule that decides, once the transaction waits for that or has its verdict. */
  function decided(paymentId: string, rule: string, outcome: string) {
    return until(
      async () => {
        const [first] = (await explained(paymentId)).transactions;
        const found = first?.rules.find(({ name }) => name === rule);
        return found?.outcome === outcome ? first : undefined;
      },
      { what: `the rule ${rule} to be ${outcome}` },
    );
  }

  test("follows its transaction from the hash to the verdict", async () => {
    const id = await chains.submit({ txHash: UNKNOWN });
    const missing = await decided(id, "found", "waiting");
    expect(missing).toMatchObject({ txHash: UNKNOWN, source: "shopper", state: "waiting" });
    await until(async () => (await explained(id)).transactions[0]?.waitsFor === "transaction", {
      what: "the first verification",
    });

    const txHash = await chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const paid = await chains.submit({ txHash, merchantSubmitted: true });
    const waiting = await decided(paid, "settled", "waiting");
    expect(waiting).toMatchObject({ source: "merchant", waitsFor: "depth" });
    const { blockNumber } = (await chains.chain.receipt(txHash)) ?? {};
    expect(waiting.minedBlock).toBe(BigInt(blockNumber ?? 0));
    expect((await explained(paid)).finality).toMatchObject({ confirmations: DEPTH });

    for (let at = 1; at < DEPTH; at++) await chains.chain.mine();
    expect(await chains.verdict(paid)).toMatchObject({ type: "transfer.confirmed" });
    const proven = await decided(paid, "amount", "passed");
    expect(proven).toMatchObject({ state: "confirmed", providersAgreeing: 1 });
    expect(new Set(proven.rules.map(({ outcome }) => outcome))).toEqual(new Set(["passed"]));
    expect(proven.transfers).toMatchObject([
      { pays: "this", transfer: { txHash, baseAmount: AMOUNT.toString() } },
    ]);
    const { blockHash } = (await chains.chain.receipt(txHash)) ?? {};
    expect(proven.transfers[0]?.blockHash).toBe(blockHash);
  });

  test("has no head below the block of the transaction where one confirmation is enough", async () => {
    const hasty = await startTestChains({ chain: chains.chain });
    try {
      const txHash = await chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
      const id = await hasty.submit({ txHash });
      expect(await hasty.verdict(id)).toMatchObject({ type: "transfer.confirmed" });
      const { transactions, finality } = await explained(id, tenant, hasty);
      expect(finality).toMatchObject({ confirmations: 1 });
      const minedBlock = BigInt((await chains.chain.receipt(txHash))?.blockNumber ?? 0);
      expect(transactions).toMatchObject([{ minedBlock, chainHead: minedBlock }]);
    } finally {
      await hasty.stop();
    }
  });

  test("has the rule that a transaction broke, and its transfers", async () => {
    const txHash = await chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT - 1n });
    const id = await chains.submit({ txHash });
    for (let at = 1; at < DEPTH; at++) await chains.chain.mine();
    const broken = await decided(id, "amount", "failed");
    expect(broken).toMatchObject({ state: "rejected", reason: "underpaid" });
    expect(broken.rules.filter(({ outcome }) => outcome !== "passed")).toHaveLength(1);
    expect(broken.transfers).toMatchObject([{ pays: "nothing", transfer: { txHash } }]);
  });

  test("belongs to its merchant alone", async () => {
    const id = await chains.submit({ txHash: UNKNOWN });
    await decided(id, "found", "waiting");
    const others = [
      { ...tenant, mode: Mode.LIVE },
      { ...tenant, projectId: `${PROJECT}2` },
    ];
    for (const owner of others) {
      expect(await explained(id, owner)).toEqual({ transactions: [], finality: undefined });
    }
  });
});
