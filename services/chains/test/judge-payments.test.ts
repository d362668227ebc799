import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  newWallet,
  type Opened,
  startTestChains,
  type TestChains,
} from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const ELSEWHERE = "0x2222222222222222222222222222222222222222";
const OTHER = "proj_BBBBBBBBBBBBBBBBBBBBBBBB";
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

  function payNative(to: string, value = AMOUNT) {
    return chains.chain.payNative({ from: buyer, to, value });
  }

  function payToken(to: string, value = AMOUNT) {
    return chains.chain.payToken({ from: buyer, to, value });
  }

  /** A payment at a wallet of its own, and the hash of what is sent for it. */
  async function submitFor(pay: (shop: string) => Promise<string>, terms: Opened = {}) {
    const recipientAddress = terms.recipientAddress ?? newWallet();
    const id = await chains.open({ ...terms, recipientAddress });
    const txHash = await pay(recipientAddress);
    await chains.submit({ id, txHash });
    return { id, txHash };
  }

  async function judge(pay: (shop: string) => Promise<string>, terms: Opened = {}) {
    return chains.outcome((await submitFor(pay, terms)).id);
  }

  test("in native coin is told with its sums, block and sender", async () => {
    const { id, txHash } = await submitFor(payNative);
    const money = await chains.paid(id, AMOUNT);
    const receipt = await chains.chain.receipt(txHash);
    expect(money).toMatchObject({
      chainId: 31_337n,
      currency: "native",
      txHash,
      blockNumber: BigInt(receipt?.blockNumber ?? 0),
      seenBaseAmount: "1000000",
      lateBaseAmount: "0",
      senders: [{ address: buyer.toLowerCase(), baseAmount: "1000000" }],
      hashes: [{ txHash, outcome: "counted", isMined: true }],
      arrived: [],
    });
    expect(money.needs).toBeUndefined();
    const seconds = (await chains.chain.blockTime(txHash)).getTime() / 1_000;
    expect(Number(money.blockTime?.seconds)).toBe(seconds);
    const told = chains.told.findLast((one) => one.money.paymentId === id);
    expect(told).toMatchObject({
      type: "money.changed",
      sequence: money.turn,
      requestId: "request-1",
    });
  });

  test("in a token counts", async () => {
    const { id, txHash } = await submitFor(payToken, { currency: token });
    expect(await chains.paid(id, AMOUNT)).toMatchObject({
      txHash,
      currency: token.toLowerCase(),
      senders: [{ address: buyer.toLowerCase(), baseAmount: "1000000" }],
    });
  });

  test("may be written in capitals, and the token and the recipient too", async () => {
    function capitals(hex: string) {
      return `0x${hex.slice(2).toUpperCase()}`;
    }

    const { id } = await submitFor(async (shop) => capitals(await payToken(shop)), {
      currency: capitals(token),
      recipientAddress: capitals(newWallet()),
    });
    expect(await chains.outcome(id)).toBe("counted");
    await chains.paid(id, AMOUNT);
  });

  test("to another address is a recipient_mismatch", async () => {
    expect(await judge(() => payNative(ELSEWHERE))).toBe("recipient_mismatch");
    const inToken = { currency: token };
    expect(await judge(() => payToken(ELSEWHERE), inToken)).toBe("recipient_mismatch");
  });

  test("in another currency is wrong_token, also native coin for a token", async () => {
    expect(await judge(payToken)).toBe("wrong_token");
    expect(await judge(payNative, { currency: token })).toBe("wrong_token");
  });

  test("of a token of the same symbol that is not listed pays nothing", async () => {
    const fake = await chains.chain.deployToken({ symbol: "TUSD", name: "Fake", decimals: 6 });
    const outcome = await judge(
      (to) => chains.chain.payToken({ to, value: AMOUNT, token: fake.address }),
      { currency: token },
    );
    expect(outcome).toBe("recipient_mismatch");
  });

  test("one unit short counts as a part, and a second one completes it", async () => {
    const terms = { currency: token };
    const { id } = await submitFor((shop) => payToken(shop, AMOUNT - 1n), terms);
    const part = await chains.paid(id, AMOUNT - 1n);
    expect(part.hashes).toMatchObject([{ outcome: "counted" }]);
    const second = await payToken(part.recipientAddress, 1n);
    await chains.submit({ id, txHash: second });
    const whole = await chains.paid(id, AMOUNT);
    expect(whole).toMatchObject({ txHash: second, senders: [{ baseAmount: "1000000" }] });
  });

  test("of more than the amount needs a signature, and counts with it", async () => {
    const { id } = await submitFor((shop) => payToken(shop, AMOUNT + 5n), { currency: token });
    const asking = await chains.money(
      id,
      ({ needs, hashes }) => needs === "payer_signature" && hashes[0]?.isMined === true,
    );
    expect(asking).toMatchObject({
      seenBaseAmount: "0",
      arrived: [{ baseAmount: "1000005", senderAddress: buyer.toLowerCase() }],
    });
    expect(asking.hashes[0]?.outcome).toBeUndefined();
    await chains.sign({ id, payerAddress: buyer });
    const paid = await chains.paid(id, AMOUNT + 5n);
    expect(paid).toMatchObject({ hashes: [{ outcome: "counted" }], arrived: [] });
    expect(paid.needs).toBeUndefined();
  });

  test("of too little for a payment goes to the one that is due exactly this", async () => {
    const recipientAddress = newWallet();
    const terms = { currency: token, recipientAddress };
    const rightful = await chains.open(terms);
    const greedy = await submitFor(payToken, { ...terms, baseAmount: "2000000" });
    expect(await chains.outcome(greedy.id)).toBe("transfer_already_used");
    await chains.paid(rightful, AMOUNT);
  });

  test("that has paid another payment before is transfer_already_used", async () => {
    const recipientAddress = newWallet();
    const { id, txHash } = await submitFor(payNative, { recipientAddress });
    await chains.paid(id, AMOUNT);
    await chains.settled();
    const second = await chains.submit({ txHash, recipientAddress });
    expect(await chains.outcome(second)).toBe("transfer_already_used");
  });

  test("with two transfers to the shop sums them up", async () => {
    const wallet = await chains.chain.deploy(WALLET);
    await chains.chain.payToken({ to: wallet, value: AMOUNT });
    const { id } = await submitFor(
      (shop) =>
        chains.chain.send({
          to: wallet,
          data: calls([
            { to: token, data: transferData(shop, 300_000n) },
            { to: token, data: transferData(shop, 700_000n) },
          ]),
        }),
      { currency: token },
    );
    const { senders } = await chains.paid(id, AMOUNT);
    expect(senders).toMatchObject([{ address: wallet, baseAmount: "1000000" }]);
  });

  test("is read for a wallet of another merchant after it is proven, and takes nothing back", async () => {
    const wallet = await chains.chain.deploy(WALLET);
    const elsewhere = newWallet();
    const { id, txHash } = await submitFor((shop) =>
      chains.chain.send({
        to: wallet,
        value: AMOUNT + 9n,
        data: calls([
          { to: shop, value: AMOUNT },
          { to: elsewhere, value: 9n },
        ]),
      }),
    );
    await chains.paid(id, AMOUNT);
    await chains.settled();
    const told = chains.told.length;
    const terms = { recipientAddress: elsewhere, baseAmount: "9", projectId: OTHER };
    const other = await chains.open(terms);
    await chains.submit({ id: other, txHash, ...terms });
    expect(await chains.outcome(other)).toBe("counted");
    await chains.paid(other, 9n);
    const third = await chains.submit({ txHash, recipientAddress: newWallet() });
    expect(await chains.outcome(third)).toBe("recipient_mismatch");
    expect(chains.told.slice(told).filter(({ money }) => money.paymentId === id)).toEqual([]);
  });

  test("of a token to one wallet is wrong_token there, and not at another", async () => {
    const ids = [newWallet(), newWallet()].map((recipientAddress) => ({
      id: newId("pay"),
      recipientAddress,
    }));
    const [paid, unpaid] = ids;
    if (paid === undefined || unpaid === undefined) throw new Error("two payments were made");
    const txHash = await payToken(paid.recipientAddress);
    for (const payment of ids) await chains.submit({ ...payment, txHash });
    expect(await chains.outcome(paid.id)).toBe("wrong_token");
    expect(await chains.outcome(unpaid.id)).toBe("recipient_mismatch");
  });

  test("that the merchant assigns to two payments pays each with one of its transfers", async () => {
    const wallet = await chains.chain.deploy(WALLET);
    await chains.chain.payToken({ to: wallet, value: 2n * AMOUNT });
    const recipientAddress = newWallet();
    const terms = { currency: token, recipientAddress };
    const ids = [await chains.open(terms), await chains.open(terms), await chains.open(terms)];
    const [first = "", second = "", third = ""] = ids;
    const one = { to: token, data: transferData(recipientAddress, AMOUNT) };
    const txHash = await chains.chain.send({ to: wallet, data: calls([one, one]) });
    for (const id of ids) await chains.submit({ id, txHash });
    // One wallet twice is no group: only a person can tell.
    for (const id of ids) await chains.money(id, ({ needs }) => needs === "payer_signature");
    await chains.assign([first, second], txHash);
    await chains.paid(first, AMOUNT);
    await chains.paid(second, AMOUNT);
    expect(await chains.outcome(third)).toBe("transfer_already_used");
    const { rows } = await chains.pool.query(
      "select count(distinct transfer_id)::int as n from allocations where subject_id = any($1)",
      [ids],
    );
    expect(rows[0]).toEqual({ n: 2 });
  });

  test("submitted for many payments of one amount pays none of them by itself", async () => {
    const recipientAddress = newWallet();
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => chains.open({ recipientAddress })),
    );
    const txHash = await payNative(recipientAddress);
    for (const id of ids) await chains.submit({ id, txHash });
    for (const id of ids) await chains.money(id, ({ needs }) => needs === "payer_signature");
    const [signed = "", ...others] = ids;
    await chains.sign({ id: signed, payerAddress: buyer });
    await chains.paid(signed, AMOUNT);
    for (const id of others) expect(await chains.outcome(id)).toBe("transfer_already_used");
  });

  test("that came to nothing is judged again when it is submitted again", async () => {
    const txHash = await payNative(newWallet());
    const { id } = await submitFor(async () => txHash);
    expect(await chains.outcome(id)).toBe("recipient_mismatch");
    const judged = "select judged_at from submissions where subject_id = $1";
    const before = (await chains.pool.query(judged, [id])).rows[0]?.judged_at as Date;
    await chains.submit({ id, txHash });
    await until(async () => {
      const { rows } = await chains.pool.query(judged, [id]);
      return rows[0]?.judged_at > before;
    });
    expect(await chains.outcome(id)).toBe("recipient_mismatch");
  });

  test("that reverted pays nothing", async () => {
    const outcome = await judge(
      async (shop) => {
        const from = chains.chain.accounts[5] ?? "";
        const data = transferData(shop, AMOUNT);
        const txHash = await chains.chain.send({ from, to: token, data });
        expect((await chains.chain.receipt(txHash))?.status).toBe("0x0");
        return txHash;
      },
      { currency: token },
    );
    expect(outcome).toBe("reverted");
  });

  test("mined before its payment was made predates_payment", async () => {
    const shop = newWallet();
    const txHash = await payNative(shop);
    const mined = (await chains.chain.blockTime(txHash)).getTime();
    // So much later than the stamp of a block its payment may be opened: one block of this chain.
    const early = { recipientAddress: shop, created: new Date(mined + 1_001) };
    expect(await judge(async () => txHash, early)).toBe("predates_payment");
    const close = { recipientAddress: shop, created: new Date(mined + 1_000) };
    expect(await judge(async () => txHash, close)).toBe("counted");
  });

  test("mined after its payment expired is late money, whenever it is seen", async () => {
    const shop = newWallet();
    const txHash = await payNative(shop);
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 600_000);
    const terms = { recipientAddress: shop, created, expires: new Date(mined.getTime() - 1) };
    const { id } = await submitFor(async () => txHash, terms);
    const money = await chains.money(id, ({ lateFinalBaseAmount }) => lateFinalBaseAmount !== "0");
    expect(money).toMatchObject({
      seenBaseAmount: "0",
      lateBaseAmount: "1000000",
      lateFinalBaseAmount: "1000000",
      hashes: [{ outcome: "counted" }],
    });
  });

  test("of another amount, mined after the expiry, is late", async () => {
    const shop = newWallet();
    const txHash = await payNative(shop, AMOUNT - 1n);
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 600_000);
    const terms = { recipientAddress: shop, created, expires: new Date(mined.getTime() - 1) };
    expect(await judge(async () => txHash, terms)).toBe("late");
  });

  test("mined in the last second before the expiry is in time", async () => {
    const shop = newWallet();
    const txHash = await payNative(shop);
    const mined = await chains.chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 600_000);
    const terms = { recipientAddress: shop, created, expires: mined };
    const { id } = await submitFor(async () => txHash, terms);
    await chains.paid(id, AMOUNT);
  });

  test("from another address than the one that signed pays nothing alone", async () => {
    const shop = newWallet();
    const terms = { recipientAddress: shop };
    const id = await chains.open(terms);
    await chains.sign({ id, payerAddress: ELSEWHERE });
    await chains.submit({ id, txHash: await payNative(shop) });
    const money = await chains.money(id, ({ needs }) => needs === "payer_signature");
    expect(money.seenBaseAmount).toBe("0");
    await chains.sign({ id, payerAddress: buyer });
    await chains.paid(id, AMOUNT);
  });

  test("from another address than the one that was only declared counts", async () => {
    const { id } = await submitFor(payNative, { payerAddress: ELSEWHERE });
    await chains.paid(id, AMOUNT);
  });

  test("from the shop to itself pays nothing", async () => {
    const shop = chains.chain.accounts[3] ?? "";
    const outcome = await judge(
      () => chains.chain.payNative({ from: shop, to: shop, value: AMOUNT }),
      { recipientAddress: shop },
    );
    expect(outcome).toBe("recipient_mismatch");
  });

  test("that is not mined yet counts as soon as it is", async () => {
    const sent = chains.chain;
    const shop = newWallet();
    const id = await chains.open({ recipientAddress: shop });
    await sent.mineAtOnce(false);
    const txHash = await sent.submit({ from: buyer, to: shop, value: AMOUNT });
    await chains.submit({ id, txHash });
    const waiting = await until(async () => {
      const row = await chains.transaction(txHash);
      return row?.sender === buyer.toLowerCase() ? row : undefined;
    });
    expect(waiting).toMatchObject({ state: "waiting", waits_for: "block" });
    await sent.mine();
    await sent.mineAtOnce(true);
    await chains.paid(id, AMOUNT);
  });

  test("that no provider has seen is not_found an hour after the end, and is sought again", async () => {
    const txHash = `0x${"ab".repeat(32)}`;
    const created = new Date(Date.now() - 3 * 3_600_000);
    const expires = new Date(Date.now() - 2 * 3_600_000);
    const id = await chains.submit({ txHash, recipientAddress: newWallet(), created, expires });
    await chains.missed(txHash);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
    await chains.chain.mine();
    await chains.pool.query(
      "update transactions set give_up_at = now() - interval '10 seconds', next_at = now() where tx_hash = $1",
      [txHash],
    );
    expect(await chains.outcome(id)).toBe("not_found");
    await chains.submit({ id, txHash });
    await chains.money(id, ({ hashes }) => hashes[0]?.outcome === undefined);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
  });
});
