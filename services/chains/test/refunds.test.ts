import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestChain, testChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  newWallet,
  SHOP,
  type SubmittedRefund,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const BUYER = "0x3333333333333333333333333333333333333333";
const MINUTE_MS = 60_000;
function unknownHash() {
  return `0x${Buffer.from(newId("evt")).toString("hex").padEnd(64, "0").slice(0, 64)}`;
}

describeChains("a submitted refund", () => {
  let chains: TestChains;
  let chain: TestChain;
  let shop: string;
  let token: string;
  beforeAll(async () => {
    chains = await startTestChains();
    chain = chains.chain;
    shop = chain.accounts[2] ?? "";
    token = chain.token.address;
    await chain.payToken({ to: shop, value: 100n * AMOUNT });
  });
  afterAll(() => chains?.stop());

  function payBack(paid: { from?: string; to?: string; value?: bigint } = {}) {
    return chain.payToken({ from: shop, to: BUYER, value: AMOUNT, ...paid });
  }

  function submit(
    txHash: string,
    change: Partial<Omit<SubmittedRefund, "$typeName" | "$unknown">> = {},
  ) {
    return chains.submitRefund({
      txHash,
      currency: token,
      baseAmount: `${AMOUNT}`,
      sourceAddress: shop,
      destinationAddress: BUYER,
      ...change,
    });
  }

  async function verdictOn(id: string) {
    return (await chains.verdict(id)).observation;
  }

  async function readState(txHash: string) {
    return (await chains.transaction(txHash))?.state;
  }

  /** Its seven days are over. */
  async function setOverdue(txHash: string) {
    await chains.pool.query(
      "update transactions set give_up_at = now() - interval '10 seconds', next_at = now() where tx_hash = $1",
      [txHash],
    );
  }

  test.each([
    ["exactly the amount", {}, "1000000"],
    ["more", { value: AMOUNT + 1n }, "1000001"],
  ])("is confirmed when the shop's wallet pays %s to the shopper", async (_, paid, received) => {
    const txHash = await payBack(paid);
    expect(await verdictOn(await submit(txHash))).toMatchObject({
      reason: "",
      receivedBaseAmount: received,
      senderAddress: shop.toLowerCase(),
      txHash,
      submittedTxHash: txHash,
      recipientAddress: BUYER,
      currency: token.toLowerCase(),
      subjectId: expect.stringMatching(/^refund_/),
    });
  });

  test.each([
    ["pays less", { value: AMOUNT - 1n }, "underpaid"],
    ["pays another address", { to: SHOP }, "recipient_mismatch"],
    ["is paid from another wallet", { from: "first account" }, "payer_mismatch"],
  ])("is refused when it %s", async (_what, paid, reason) => {
    const from = "from" in paid ? { from: chain.accounts[0] ?? "" } : {};
    expect((await verdictOn(await submit(await payBack({ ...paid, ...from })))).reason).toBe(
      reason,
    );
  });

  test("is confirmed by another wallet that its merchant declared, and by no other", async () => {
    const other = chain.accounts[3] ?? "";
    const payoutWallets = [other.toLowerCase()];
    await chain.payToken({ to: other, value: AMOUNT });
    const txHash = await payBack({ from: other });
    expect(await verdictOn(await submit(txHash, { payoutWallets }))).toMatchObject({
      reason: "",
      senderAddress: other.toLowerCase(),
    });
    const stranger = await payBack({ from: chain.accounts[0] ?? "" });
    const refused = await verdictOn(await submit(stranger, { payoutWallets }));
    expect(refused.reason).toBe("payer_mismatch");
  });

  test("is not proven by a transaction that proves another one", async () => {
    const txHash = await payBack();
    const ids = [await submit(txHash), await submit(txHash)];
    const reasons = await Promise.all(ids.map(async (id) => (await verdictOn(id)).reason));
    expect(reasons.toSorted()).toEqual(["", "transfer_already_used"]);
  });

  test("is proven although the transfer pays a payment of another tenant", async () => {
    const txHash = await payBack();
    const theirs = await chains.submit({
      projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB",
      txHash,
      currency: token,
      recipientAddress: BUYER,
    });
    await chains.paid(theirs, AMOUNT);
    expect((await verdictOn(await submit(txHash))).reason).toBe("");
  });

  test("is paid by a transfer that fits a payment of the same merchant as well", async () => {
    const destinationAddress = newWallet();
    const refund = { destinationAddress, currency: "native" };
    const id = await submit("", { ...refund, type: "refund.created", txHash: undefined });
    const payment = await chains.open({ recipientAddress: destinationAddress });
    const txHash = await chain.payNative({ from: shop, to: destinationAddress, value: AMOUNT });
    await chains.submit({ id: payment, txHash });
    await submit(txHash, { ...refund, id });
    expect((await verdictOn(id)).reason).toBe("");
    expect(await chains.outcome(payment)).toBe("transfer_already_used");
    expect((await chains.money(payment)).seenBaseAmount).toBe("0");
  });

  test("is proven by what left after the payment was confirmed, even before the refund was created", async () => {
    const txHash = await payBack();
    const mined = (await chain.blockTime(txHash)).getTime();
    const createdAt = timestampFromDate(new Date(mined + 10 * MINUTE_MS));
    function since(ms: number) {
      return {
        createdAt,
        paymentConfirmedAt: timestampFromDate(new Date(mined + ms)),
      };
    }

    const tooEarly = await submit(txHash, since(2 * MINUTE_MS));
    expect(await verdictOn(tooEarly)).toMatchObject({
      reason: "predates_payment",
      receivedBaseAmount: "1000000",
    });
    expect((await verdictOn(await submit(txHash, { createdAt }))).reason).toBe("predates_payment");
    expect((await verdictOn(await submit(txHash, since(-MINUTE_MS)))).reason).toBe("");
  });

  test("whose hash no provider knows after seven days is not_found, and may be submitted again", async () => {
    const txHash = unknownHash();
    const id = await submit(txHash);
    const { give_up_at, state } = (await chains.missed(txHash)) as {
      give_up_at: Date;
      state: string;
    };
    expect(state).toBe("waiting");
    expect(give_up_at.getTime() - Date.now()).toBeGreaterThan(7 * 24 * 60 * MINUTE_MS - MINUTE_MS);
    // Mined first: a look at an older head would put the next one off by minutes.
    await chain.mine();
    await setOverdue(txHash);
    const verdict = await chains.verdict(id);
    expect(verdict).toMatchObject({ type: "transfer.rejected", sequence: 2 });
    expect(verdict.observation).toMatchObject({
      reason: "not_found",
      txHash,
      submittedTxHash: txHash,
      chainId: 31_337n,
    });
    expect(verdict.observation.blockNumber).toBeUndefined();
    await submit(txHash, { id, version: 5 });
    await until(async () => (await readState(txHash)) === "waiting");
  });

  test("counts its seven days from the submission, however old the refund is", async () => {
    const createdAt = timestampFromDate(new Date(Date.now() - 30 * 24 * 60 * MINUTE_MS));
    const txHash = unknownHash();
    await submit(txHash, { createdAt });
    await chains.missed(txHash, 2);
    expect(await readState(txHash)).toBe("waiting");
  });

  test("that is pending after seven days stays open", async () => {
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: shop, to: BUYER, value: AMOUNT });
    const id = await submit(txHash, { currency: "native" });
    await until(async () => (await chains.transaction(txHash))?.sender);
    await setOverdue(txHash);
    await until(async () => {
      const row = (await chains.transaction(txHash)) as { next_at: Date };
      return row.next_at.getTime() > Date.now() + 5 * MINUTE_MS;
    });
    expect(await readState(txHash)).toBe("waiting");
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.pool.query("update transactions set next_at = now() where tx_hash = $1", [txHash]);
    expect((await verdictOn(id)).reason).toBe("");
  });

  // The last: it sets the clock of the chain back.
  test("whose transaction leaves the chain is not paid, until it is mined again", async () => {
    const txHash = await payBack();
    const raw = await chain.call("eth_getRawTransactionByHash", [txHash]);
    const id = await submit(txHash);
    expect(await chains.verdict(id)).toMatchObject({ type: "transfer.confirmed" });
    await chains.followed();
    await chain.reorg(1);
    await chain.mine();
    expect(await chains.verdict(id, 1)).toMatchObject({
      type: "transfer.unseen",
      observation: { txHash, submittedTxHash: txHash, reason: "reorged" },
    });
    await chain.call("eth_sendRawTransaction", [raw]);
    const again = await chains.verdict(id, 2);
    const blockNumber = BigInt((await chain.receipt(txHash))?.blockNumber ?? 0);
    expect(again).toMatchObject({ type: "transfer.confirmed", observation: { blockNumber } });
  });
});

describeChains("a submitted refund on a chain whose providers are unfit", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await testChain();
  });
  afterAll(() => chain?.stop());

  test("is not rejected as not_found while providers are silent or the chain stands still", async () => {
    const proxy = await chain.faultProxy();
    const chains = await startTestChains({ chain, providers: [proxy.url] });
    try {
      const txHash = unknownHash();
      await chains.submitRefund({
        txHash,
        baseAmount: "1",
        sourceAddress: SHOP,
        destinationAddress: BUYER,
      });
      await chains.missed(txHash);
      const overdue = "update transactions set give_up_at = $2, next_at = now() where tx_hash = $1";
      async function lookedAt() {
        const before = Number((await chains.transaction(txHash))?.misses);
        await until(async () => {
          await chains.pool.query("update transactions set next_at = now() where tx_hash = $1", [
            txHash,
          ]);
          return Number((await chains.transaction(txHash))?.misses) > before;
        });
        expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
      }

      // The provider's newest block is older than the end of the wait.
      const head = (await chain.call("eth_getBlockByNumber", ["latest", false])) as {
        timestamp: string;
      };
      const end = new Date(Number(head.timestamp) * 1_000 + 1);
      await until(() => Date.now() > end.getTime());
      await chains.pool.query(overdue, [txHash, end]);
      await lookedAt();
      proxy.fail({ kind: "hang-up" });
      await chains.pool.query(overdue, [txHash, new Date(Date.now() - 90 * 24 * 60 * MINUTE_MS)]);
      await lookedAt();
      expect(chains.seen).toEqual([]);
    } finally {
      await chains.stop();
    }
  });
});
