// Payments whose hash no one submits: the chain is followed, and what reaches a recipient pays by rule.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { describeChains, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const OTHER_PROJECT = "proj_BBBBBBBBBBBBBBBBBBBBBBBB";

describeChains("a payment without a submitted hash", () => {
  let chains: TestChains;
  let token: string;
  let buyer: string;
  let recipient = "";
  let recipients = 0;
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    buyer = chains.chain.accounts[1] ?? "";
    await chains.chain.payToken({ to: buyer, value: 1_000_000_000n });
  });
  afterAll(() => chains?.stop());
  beforeEach(() => {
    recipient = `0x${(++recipients).toString(16).padStart(40, "d")}`;
  });

  function open(payment: Parameters<TestChains["open"]>[0] = {}) {
    return chains.open({ recipientAddress: recipient, ...payment });
  }

  function payNative(value = AMOUNT) {
    return chains.chain.payNative({ from: buyer, to: recipient, value });
  }

  function payToken(value = AMOUNT) {
    return chains.chain.payToken({ from: buyer, to: recipient, value });
  }

  async function readEvents(id: string, count: number) {
    return until(
      () => {
        const found = chains.seen.filter(({ observation }) => observation.subjectId === id);
        return found.length >= count ? found : undefined;
      },
      { what: `${count} events about ${id}` },
    );
  }

  test("is paid in the time that was added to it", async () => {
    const created = new Date(Date.now() - 120_000);
    const id = await open({ created, expires: new Date(created.getTime() + 60_000) });
    await chains.watched(id);
    const expires = new Date(Date.now() + 600_000);
    await open({ id, type: "payment.extended", version: 2, created, expires });
    await until(async () => {
      const { rows } = await chains.pool.query(
        "select version from watches where payment_id = $1",
        [id],
      );
      return rows[0]?.version === 2;
    });
    await payNative();
    const [, proven] = await readEvents(id, 2);
    expect(proven?.type).toBe("transfer.confirmed");
  });

  test("is seen and confirmed by native coin to its recipient", async () => {
    const id = await open();
    await chains.watched(id);
    const txHash = await payNative();
    const [seen, proven] = await readEvents(id, 2);
    expect(seen).toMatchObject({
      type: "transfer.seen",
      observation: {
        txHash,
        found: true,
        receivedBaseAmount: "1000000",
        recipientAddress: recipient,
      },
    });
    expect(proven).toMatchObject({
      type: "transfer.confirmed",
      observation: {
        txHash,
        found: false,
        submittedTxHash: txHash,
        senderAddress: buyer.toLowerCase(),
      },
    });
  });

  test("is confirmed by a token that reaches its recipient", async () => {
    const id = await open({ currency: token });
    await chains.watched(id);
    const txHash = await payToken();
    const [, proven] = await readEvents(id, 2);
    expect(proven).toMatchObject({ type: "transfer.confirmed", observation: { txHash } });
  });

  test("is confirmed although its event arrives after its transfer was mined", async () => {
    const created = new Date();
    await chains.chain.mine();
    const native = await payNative();
    const id = await open({ created });
    expect((await readEvents(id, 2))[1]).toMatchObject({
      type: "transfer.confirmed",
      observation: { txHash: native },
    });
    const inToken = await payToken();
    const other = await open({ created, currency: token });
    expect((await readEvents(other, 2))[1]).toMatchObject({
      type: "transfer.confirmed",
      observation: { txHash: inToken },
    });
  });

  test("waits for a hash where another payment of the same amount was open, too", async () => {
    const finality = { 31337: { mode: "confirmations", confirmations: 4 } };
    const environment = { CHAINS_FINALITY: JSON.stringify(finality) };
    const { chain } = chains;
    const patient = await startTestChains({ chain, environment });
    try {
      const created = new Date(Date.now() - 5_000);
      const payment = { recipientAddress: recipient, created, unsignedClaims: "hold" };
      const first = await patient.open(payment);
      await until(async () => {
        const { rowCount } = await patient.pool.query("select from watches");
        return rowCount === 1;
      });
      const txHash = await payNative();
      await until(async () => (await patient.candidate(first))?.tx_hash === txHash);
      const second = await patient.open(payment);
      await until(async () => {
        const { rowCount } = await patient.pool.query("select from watches");
        return rowCount === 2;
      });
      await chain.mine(6);
      // Looked at in its final depth, and left without a verdict.
      await patient.missed(first);
      await until(() => patient.seen.length > 1, { what: "the sighting, and what it needs" });
      expect(patient.seen.map(({ type }) => type)).toEqual(["transfer.seen", "transfer.waiting"]);
      await patient.submit({ ...payment, id: second, txHash, merchantSubmitted: true });
      expect((await patient.verdict(second)).observation).toMatchObject({ txHash, reason: "" });
      const confirmed = patient.seen.filter(({ type }) => type === "transfer.confirmed");
      expect(confirmed.map(({ observation }) => observation.subjectId)).toEqual([second]);
    } finally {
      await patient.stop();
    }
  });

  test("is not paid by a transfer from before it was created", async () => {
    const txHash = await payNative();
    const mined = await chains.chain.blockTime(txHash);
    const early = await open({ created: new Date(mined.getTime() + 1_000) });
    await chains.watched(early);
    recipient = `0x${"e".repeat(40)}`;
    const later = await open();
    await chains.watched(later);
    await payNative();
    await readEvents(later, 2);
    expect(await chains.candidate(early)).toBeUndefined();
  });

  test("is confirmed by parts that reach the amount together, and no part fails it", async () => {
    const id = await open();
    await chains.watched(id);
    await payNative(600_000n);
    await until(async () => (await chains.candidate(id))?.reason === "underpaid");
    expect(chains.seen.some(({ observation }) => observation.subjectId === id)).toBe(false);
    await payNative(400_000n);
    const [proven] = await readEvents(id, 1);
    expect(proven).toMatchObject({
      type: "transfer.confirmed",
      observation: { receivedBaseAmount: "1000000" },
    });
  });

  test("is confirmed by two halves in one block", async () => {
    const id = await open();
    await chains.watched(id);
    const { chain } = chains;
    await chain.mineAtOnce(false);
    await chain.submit({ from: buyer, to: recipient, value: 500_000n });
    await chain.submit({ from: chain.accounts[2] ?? "", to: recipient, value: 500_000n });
    await chain.mine();
    await chain.mineAtOnce(true);
    const proven = await until(() =>
      chains.seen.find(
        ({ type, observation }) => type === "transfer.confirmed" && observation.subjectId === id,
      ),
    );
    expect(proven.observation.receivedBaseAmount).toBe("1000000");
  });

  test("beside another of the same amount waits", async () => {
    const one = await open();
    const other = await open();
    await chains.watched(one);
    await chains.watched(other);
    await payNative();
    const third = await open({ baseAmount: "5" });
    await chains.watched(third);
    await payNative(5n);
    await readEvents(third, 2);
    expect(await chains.candidate(one)).toBeUndefined();
    expect(await chains.candidate(other)).toBeUndefined();
  });

  test("beside another amount is paid by exactly its own", async () => {
    const cheap = await open({ baseAmount: "1" });
    const dear = await open();
    await chains.watched(cheap);
    await chains.watched(dear);
    const txHash = await payNative();
    expect((await readEvents(dear, 2))[1]).toMatchObject({
      type: "transfer.confirmed",
      observation: { txHash },
    });
    expect(await chains.candidate(cheap)).toBeUndefined();
  });

  test("of another merchant with the same recipient takes nothing away", async () => {
    const mine = await open();
    const theirs = await open({ projectId: OTHER_PROJECT });
    await chains.watched(mine);
    await chains.watched(theirs);
    await payNative();
    expect((await readEvents(mine, 2))[1]?.type).toBe("transfer.confirmed");
    expect((await readEvents(theirs, 2))[1]?.type).toBe("transfer.confirmed");
  });

  test("of a declared payer takes transfers of that payer only", async () => {
    const id = await open({ payerAddress: chains.chain.accounts[4] ?? "" });
    await chains.watched(id);
    await payNative();
    const from = chains.chain.accounts[4] ?? "";
    const txHash = await chains.chain.payNative({ from, to: recipient, value: AMOUNT });
    expect((await readEvents(id, 2))[1]?.observation.txHash).toBe(txHash);
  });

  test("is paid by its amount among eight of one declared wallet", async () => {
    const { chain, pool, seen } = chains;
    const recipientAddress = `0x${"0d".repeat(20)}`;
    const payerAddress = (chain.accounts[1] ?? "").toLowerCase();
    const payerDeclaredAt = timestampFromDate(new Date(Date.now() - 60_000));
    const ids: string[] = [];
    for (let amount = 1; amount <= 8; amount++) {
      const baseAmount = `${amount}`;
      const terms = { recipientAddress, payerAddress, payerDeclaredAt, baseAmount };
      ids.push(await chains.open({ unsignedClaims: "hold", ...terms }));
    }
    await until(async () => {
      const read = "select from watches where payment_id = any($1)";
      return (await pool.query(read, [ids])).rowCount === ids.length;
    });
    // In one block, so that all are open when each transfer is compared with them.
    await chain.mineAtOnce(false);
    const sent: string[] = [];
    for (const at of ids.keys()) {
      const value = BigInt(at + 1);
      sent.push(await chain.submit({ from: payerAddress, to: recipientAddress, value }));
    }
    await chain.mineAtOnce(true);
    await chain.mine();
    function paidBy(id: string) {
      return seen.find(
        ({ type, observation: { subjectId } }) => type === "transfer.confirmed" && subjectId === id,
      )?.observation.txHash;
    }

    await until(() => ids.every((id) => paidBy(id) !== undefined), { what: "all proofs" });
    expect(ids.map(paidBy)).toEqual(sent);
  });

  test("that is paid twice leaves the second transfer unmatched", async () => {
    const id = await open();
    await chains.watched(id);
    const txHash = await payNative();
    await readEvents(id, 2);
    await payNative();
    const next = await open({ baseAmount: "7" });
    await chains.watched(next);
    await payNative(7n);
    await readEvents(next, 2);
    expect(await chains.candidate(id)).toMatchObject({ tx_hash: txHash, state: "confirmed" });
  });
});
