import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { until } from "@pay/testing";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const ELSEWHERE = "0x2222222222222222222222222222222222222222";
const AMOUNT = 1_000_000n;

describeChains("a submitted transaction", () => {
  let chains: TestChains;
  let token: string;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    buyer = chains.chain.accounts[1] ?? "";
    await chains.chain.payToken({ to: buyer, value: 1_000_000_000n });
  });
  afterAll(() => chains?.stop());

  function payNative(value = AMOUNT, to = SHOP) {
    return chains.chain.payNative({ from: buyer, to, value });
  }

  function payToken(value = AMOUNT, to = SHOP) {
    return chains.chain.payToken({ from: buyer, to, value });
  }

  async function reasonFor(id: string) {
    return (await chains.verdict(id)).observation.reason;
  }

  test("that pays in native coin confirms its payment, with block, sender and amount", async () => {
    const txHash = await payNative();
    const id = await chains.submit({ txHash });
    const { type, sequence, requestId, observation } = await chains.verdict(id);
    expect({ type, sequence, requestId }).toEqual({
      type: "transfer.confirmed",
      sequence: 2,
      requestId: "request-1",
    });
    const receipt = await chains.chain.receipt(txHash);
    expect(observation).toMatchObject({
      subjectId: id,
      chainId: 31_337n,
      txHash,
      blockNumber: BigInt(receipt?.blockNumber ?? 0),
      receivedBaseAmount: "1000000",
      senderAddress: buyer.toLowerCase(),
      reason: "",
    });
    const seconds = (await chains.chain.blockTime(txHash)).getTime() / 1_000;
    expect(Number(observation.blockTime?.seconds)).toBe(seconds);
  });

  test("that pays in a token confirms its payment", async () => {
    const txHash = await payToken();
    const id = await chains.submit({ txHash, currency: token });
    expect((await chains.verdict(id)).observation).toMatchObject({
      txHash,
      receivedBaseAmount: "1000000",
      senderAddress: buyer.toLowerCase(),
      reason: "",
    });
  });

  test("may be written in capitals, and the token and the recipient too", async () => {
    const txHash = await payToken();
    function capitals(hex: string) {
      return `0x${hex.slice(2).toUpperCase()}`;
    }

    const id = await chains.submit({
      txHash: capitals(txHash),
      currency: capitals(token),
      recipientAddress: capitals(SHOP),
    });
    expect((await chains.verdict(id)).observation).toMatchObject({ txHash, reason: "" });
  });

  test("to another address is a recipient_mismatch", async () => {
    const native = await chains.submit({ txHash: await payNative(AMOUNT, ELSEWHERE) });
    const inToken = await chains.submit({
      txHash: await payToken(AMOUNT, ELSEWHERE),
      currency: token,
    });
    expect(await reasonFor(native)).toBe("recipient_mismatch");
    expect(await reasonFor(inToken)).toBe("recipient_mismatch");
    expect((await chains.verdict(native)).type).toBe("transfer.rejected");
  });

  test("in another currency is wrong_token, also native coin for a token", async () => {
    const tokenForNative = await chains.submit({ txHash: await payToken() });
    const nativeForToken = await chains.submit({ txHash: await payNative(), currency: token });
    expect(await reasonFor(tokenForNative)).toBe("wrong_token");
    expect(await reasonFor(nativeForToken)).toBe("wrong_token");
  });

  test("of a token of the same symbol that is not listed pays nothing", async () => {
    const fake = await chains.chain.deployToken({ symbol: "TUSD", name: "Fake", decimals: 6 });
    const txHash = await chains.chain.payToken({ to: SHOP, value: AMOUNT, token: fake.address });
    expect(await reasonFor(await chains.submit({ txHash, currency: token }))).toBe(
      "recipient_mismatch",
    );
  });

  test("one unit short is underpaid and says what arrived", async () => {
    const id = await chains.submit({ txHash: await payToken(AMOUNT - 1n), currency: token });
    expect((await chains.verdict(id)).observation).toMatchObject({
      reason: "underpaid",
      receivedBaseAmount: "999999",
      senderAddress: buyer.toLowerCase(),
    });
  });

  test("of more than the amount confirms and says how much", async () => {
    const id = await chains.submit({ txHash: await payToken(AMOUNT + 5n), currency: token });
    expect((await chains.verdict(id)).observation).toMatchObject({
      reason: "",
      receivedBaseAmount: "1000005",
    });
  });

  test("that falls short is completed by a second one", async () => {
    const first = await payToken(AMOUNT - 400_000n);
    const id = await chains.submit({ txHash: first, currency: token });
    expect(await reasonFor(id)).toBe("underpaid");
    const second = await payToken(400_000n);
    await chains.submit({ id, version: 4, txHash: second, currency: token });
    expect((await chains.verdict(id, 1)).observation).toMatchObject({
      txHash: second,
      reason: "",
      receivedBaseAmount: "1000000",
    });
    const again = await chains.submit({ txHash: first, currency: token, baseAmount: "1" });
    expect(await reasonFor(again)).toBe("transfer_already_used");
  });

  test("that falls short leaves its transfer to a payment that it pays in full", async () => {
    const txHash = await payToken(AMOUNT);
    const greedy = await chains.submit({ txHash, currency: token, baseAmount: "2000000" });
    expect(await reasonFor(greedy)).toBe("underpaid");
    const rightful = await chains.submit({ txHash, currency: token });
    expect(await reasonFor(rightful)).toBe("");
  });

  test("with two transfers to the shop sums them up", async () => {
    const wallet = await chains.chain.deploy(WALLET);
    await chains.chain.payToken({ to: wallet, value: AMOUNT });
    const data = calls([
      { to: token, data: transferData(SHOP, 300_000n) },
      { to: token, data: transferData(SHOP, 700_000n) },
    ]);
    const txHash = await chains.chain.send({ to: wallet, data });
    const id = await chains.submit({ txHash, currency: token });
    expect((await chains.verdict(id)).observation).toMatchObject({
      reason: "",
      receivedBaseAmount: "1000000",
      senderAddress: wallet,
    });
  });

  test("with two transfers pays two payments, one each, and no third", async () => {
    const wallet = await chains.chain.deploy(WALLET);
    await chains.chain.payToken({ to: wallet, value: 2n * AMOUNT });
    const one = { to: token, data: transferData(SHOP, AMOUNT) };
    const txHash = await chains.chain.send({ to: wallet, data: calls([one, one]) });
    const ids = await Promise.all([1, 2, 3].map(() => chains.submit({ txHash, currency: token })));
    const reasons = await Promise.all(ids.map(reasonFor));
    expect(reasons.toSorted()).toEqual(["", "", "transfer_already_used"]);
    const { rows } = await chains.pool.query(
      "select count(distinct transfer_id)::int as n from allocations where subject_id = any($1)",
      [ids],
    );
    expect(rows[0]).toEqual({ n: 2 });
  });

  test("submitted for many payments at once confirms exactly one", async () => {
    const txHash = await payNative();
    const ids = await Promise.all(Array.from({ length: 20 }, () => chains.submit({ txHash })));
    const reasons = await Promise.all(ids.map(reasonFor));
    expect(reasons.filter((reason) => reason === "")).toHaveLength(1);
    expect(new Set(reasons)).toEqual(new Set(["", "transfer_already_used"]));
  });

  test("that was rejected is judged again when it is submitted again", async () => {
    const wallet = await payToken(AMOUNT - 1n);
    const id = await chains.submit({ txHash: wallet, currency: token });
    const first = await chains.verdict(id);
    await chains.submit({ id, version: 4, txHash: wallet, currency: token });
    const second = await chains.verdict(id, 1);
    expect(second.observation.reason).toBe("underpaid");
    expect(second.id).not.toBe(first.id);
  });

  test("that a provider first reported wrongly counts as it is reported now", async () => {
    const first = await payToken(AMOUNT - 400_000n);
    const id = await chains.submit({ txHash: first, currency: token });
    await chains.verdict(id);
    await chains.pool.query(
      "update transfers set value = 1, sender = recipient, block_hash = $2 where tx_hash = $1",
      [first, `0x${"9".repeat(64)}`],
    );
    await chains.submit({ id, version: 4, txHash: first, currency: token });
    const { receivedBaseAmount, reason } = (await chains.verdict(id, 1)).observation;
    expect([receivedBaseAmount, reason]).toEqual([`${AMOUNT - 400_000n}`, "underpaid"]);
    const txHash = await payToken(400_000n);
    await chains.submit({ id, version: 6, txHash, currency: token });
    expect((await chains.verdict(id, 2)).observation).toMatchObject({
      reason: "",
      receivedBaseAmount: `${AMOUNT}`,
    });
  });

  test("that reverted pays nothing", async () => {
    const txHash = await chains.chain.send({
      from: chains.chain.accounts[5] ?? "",
      to: token,
      data: transferData(SHOP, AMOUNT),
    });
    expect((await chains.chain.receipt(txHash))?.status).toBe("0x0");
    expect(await reasonFor(await chains.submit({ txHash, currency: token }))).toBe("reverted");
  });

  test("mined before its payment was made predates_payment", async () => {
    const txHash = await payNative();
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() + 61_000);
    expect(await reasonFor(await chains.submit({ txHash, created }))).toBe("predates_payment");
    // A minute of difference between the clocks is forgiven.
    const close = new Date(mined.getTime() + 60_000);
    expect(await reasonFor(await chains.submit({ txHash, created: close }))).toBe("");
  });

  test("mined after its payment expired is late, whenever it is seen", async () => {
    const txHash = await payNative();
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 600_000);
    const before = new Date(mined.getTime() - 1);
    const late = await chains.submit({ txHash, created, expires: before });
    expect((await chains.verdict(late)).observation).toMatchObject({
      reason: "late",
      receivedBaseAmount: "1000000",
    });
    // Accepted by the merchant, it is verified without the bound of time, and so pays nothing else any more.
    const accepted = { type: "payment.late_accepted", lateDecision: "accepted" } as const;
    await chains.submit({ ...accepted, id: late, version: 3, txHash, created, expires: before });
    expect((await chains.verdict(late, 1)).type).toBe("transfer.confirmed");
  });

  test("mined in the last second before the expiry is in time", async () => {
    const txHash = await payNative();
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 600_000);
    const inTime = await chains.submit({ txHash, created, expires: mined });
    expect(await reasonFor(inTime)).toBe("");
  });

  test("from another address than the declared one is a payer_mismatch", async () => {
    const txHash = await payNative();
    const id = await chains.submit({ txHash, payerAddress: ELSEWHERE });
    expect(await reasonFor(id)).toBe("payer_mismatch");
    const right = await chains.submit({ txHash, payerAddress: buyer.toLowerCase() });
    expect(await reasonFor(right)).toBe("");
  });

  test("from the shop to itself pays nothing", async () => {
    const shop = chains.chain.accounts[3] ?? "";
    const txHash = await chains.chain.payNative({ from: shop, to: shop, value: AMOUNT });
    const id = await chains.submit({ txHash, recipientAddress: shop });
    expect(await reasonFor(id)).toBe("recipient_mismatch");
  });

  test("that no provider has seen is abandoned without an event", async () => {
    const txHash = `0x${"ab".repeat(32)}`;
    const long = new Date(Date.now() - 3 * 3_600_000);
    const expires = new Date(Date.now() - 2 * 3_600_000);
    const id = await chains.submit({ txHash, created: long, expires });
    await until(async () => (await chains.candidate(id)).state === "abandoned");
    expect(chains.seen.some(({ observation }) => observation.subjectId === id)).toBe(false);
    // Submitted again it is looked for again.
    await chains.submit({ id, txHash, version: 5 });
    await chains.missed(id);
    expect(await chains.candidate(id)).toMatchObject({ state: "waiting", attempt: 5 });
  });

  test("that is not mined yet confirms as soon as it is", async () => {
    const sent = chains.chain;
    await sent.mineAtOnce(false);
    const txHash = await sent.submit({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    const waiting = await until(async () => {
      const row = await chains.candidate(id);
      return row.sender === buyer.toLowerCase() ? row : undefined;
    });
    expect(waiting).toMatchObject({ state: "waiting" });
    await sent.mine();
    await sent.mineAtOnce(true);
    expect(await reasonFor(id)).toBe("");
  });
});
