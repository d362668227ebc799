import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import { describeChains, newWallet, PROJECT, startTestChains, type TestChains } from "./chains.ts";

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

  /** A payment at a wallet of its own, and what is sent for it. */
  async function pay(value = AMOUNT, service = chains) {
    const recipientAddress = newWallet();
    const id = await service.open({ recipientAddress });
    await service.watched(id);
    const txHash = await chains.chain.payNative({ from: buyer, to: recipientAddress, value });
    return { id, txHash };
  }

  test("has the chain as the source of a found transaction, and the merchant of its hash", async () => {
    const { id, txHash } = await pay();
    await chains.money(id, ({ seenBaseAmount }) => seenBaseAmount !== "0");
    expect((await explained(id)).transactions).toMatchObject([{ source: "chain", txHash }]);
    await chains.submit({ id, txHash, byMerchant: true });
    await until(async () => (await explained(id)).transactions[0]?.source === "merchant");
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

    const { id: paid, txHash } = await pay();
    await chains.submit({ id: paid, txHash, byMerchant: true });
    const waiting = await decided(paid, "settled", "waiting");
    expect(waiting).toMatchObject({ source: "merchant", waitsFor: "depth" });
    const { blockNumber } = (await chains.chain.receipt(txHash)) ?? {};
    expect(waiting.minedBlock).toBe(BigInt(blockNumber ?? 0));
    expect((await explained(paid)).finality).toMatchObject({ confirmations: DEPTH });

    for (let at = 1; at < DEPTH; at++) await chains.chain.mine();
    await chains.paid(paid, AMOUNT);
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
      const { id, txHash } = await pay(AMOUNT, hasty);
      await hasty.submit({ id, txHash });
      await hasty.paid(id, AMOUNT);
      const { transactions, finality } = await explained(id, tenant, hasty);
      expect(finality).toMatchObject({ confirmations: 1 });
      const minedBlock = BigInt((await chains.chain.receipt(txHash))?.blockNumber ?? 0);
      expect(transactions).toMatchObject([{ minedBlock, chainHead: minedBlock }]);
    } finally {
      await hasty.stop();
    }
  });

  test("has the rule that a transaction broke", async () => {
    const id = await chains.open({ recipientAddress: newWallet() });
    const txHash = await chains.chain.payNative({ from: buyer, to: newWallet(), value: AMOUNT });
    await chains.submit({ id, txHash });
    for (let at = 1; at < DEPTH; at++) await chains.chain.mine();
    const broken = await decided(id, "recipient", "failed");
    expect(broken).toMatchObject({ txHash, reason: "recipient_mismatch" });
    expect(broken.rules.filter(({ outcome }) => outcome === "failed")).toHaveLength(1);
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
