import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const UNKNOWN = `0x${"cd".repeat(32)}`;

describeChains("a transfer whose sender another open payment has declared", () => {
  let chains: TestChains;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    buyer = (chains.chain.accounts[1] ?? "").toLowerCase();
  }, 60_000);
  afterAll(() => chains?.stop());

  const pay = () => chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
  const reasonFor = async (id: string) => (await chains.verdict(id)).observation.reason;
  const expireAll = () =>
    chains.pool.query(
      "update candidates set give_up_at = now() - interval '1 hour', next_at = now() where tx_hash = $1",
      [UNKNOWN],
    );

  test("is not taken by a payment that declared nobody, until the other one is decided", async () => {
    const bound = await chains.submit({ txHash: UNKNOWN, payerAddress: buyer });
    const txHash = await pay();
    const thief = await chains.submit({ txHash });
    await chains.missed(thief);
    expect(await chains.candidate(thief)).toMatchObject({ state: "waiting" });
    // The payer's own payment gets it.
    await chains.submit({ id: bound, txHash, payerAddress: buyer, version: 4 });
    expect(await reasonFor(bound)).toBe("");
    expect(await reasonFor(thief)).toBe("transfer_already_used");
  });

  test("is free again when the other payment has been given up", async () => {
    const bound = await chains.submit({ txHash: UNKNOWN, payerAddress: buyer });
    const id = await chains.submit({ txHash: await pay() });
    await chains.missed(id);
    await expireAll();
    await until(async () => (await chains.candidate(bound)).state === "abandoned");
    await chains.pool.query("update candidates set next_at = now() where subject_id = $1", [id]);
    expect(await reasonFor(id)).toBe("");
  });

  test("can be taken by a payment that declared the same sender", async () => {
    await chains.submit({ txHash: UNKNOWN, payerAddress: buyer });
    expect(await reasonFor(await chains.submit({ txHash: await pay(), payerAddress: buyer }))).toBe(
      "",
    );
    await expireAll();
  });

  test("can be taken where that payment asks for another amount", async () => {
    await chains.submit({ txHash: UNKNOWN, payerAddress: buyer, baseAmount: "999" });
    expect(await reasonFor(await chains.submit({ txHash: await pay() }))).toBe("");
    await expireAll();
  });
});

describeChains("a submitted refund", () => {
  let chains: TestChains;
  let shop: string;
  let token: string;
  const buyer = "0x3333333333333333333333333333333333333333";
  beforeAll(async () => {
    chains = await startTestChains();
    shop = chains.chain.accounts[2] ?? "";
    token = chains.chain.token.address;
    await chains.chain.payToken({ to: shop, value: 100n * AMOUNT });
  }, 60_000);
  afterAll(() => chains?.stop());

  const refund = async (paid: { from?: string; to?: string; value?: bigint }) => {
    const txHash = await chains.chain.payToken({ from: shop, to: buyer, value: AMOUNT, ...paid });
    const id = await chains.submitRefund({
      ...{ txHash, currency: token, baseAmount: `${AMOUNT}` },
      ...{ sourceAddress: shop, destinationAddress: buyer },
    });
    return (await chains.verdict(id)).observation;
  };

  test("is confirmed when the shop's wallet pays exactly the amount to the shopper", async () => {
    expect(await refund({})).toMatchObject({
      ...{ reason: "", receivedBaseAmount: "1000000", senderAddress: shop.toLowerCase() },
      subjectId: expect.stringMatching(/^refund_/),
    });
  });

  test.each([
    ["less", { value: AMOUNT - 1n }, "underpaid"],
    ["more", { value: AMOUNT + 1n }, "amount_mismatch"],
    ["to somebody else", { to: SHOP }, "recipient_mismatch"],
  ])("is refused when it pays %s", async (_what, paid, reason) => {
    expect((await refund(paid)).reason).toBe(reason);
  });

  test("is refused when it is paid by somebody else", async () => {
    expect((await refund({ from: chains.chain.accounts[0] ?? "" })).reason).toBe("payer_mismatch");
  });

  test("is not proven by a transaction that proves another one", async () => {
    const txHash = await chains.chain.payToken({ from: shop, to: buyer, value: AMOUNT });
    const terms = {
      ...{ txHash, currency: token, baseAmount: `${AMOUNT}` },
      ...{ sourceAddress: shop, destinationAddress: buyer },
    };
    const ids = [await chains.submitRefund(terms), await chains.submitRefund(terms)];
    const reasons = await Promise.all(
      ids.map(async (id) => (await chains.verdict(id)).observation.reason),
    );
    expect(reasons.toSorted()).toEqual(["", "transfer_already_used"]);
  });
});
