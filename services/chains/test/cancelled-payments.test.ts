// Payments that their merchant has cancelled, beside payments that are open: the transfer is for one of these,
// whatever was said of the cancelled ones.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type TestChain, until } from "@pay/testing";
import { describeChains, type Opened, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const MINUTE_MS = 60_000;
const CONFIRMATIONS = 3;

describeChains("a payment beside a cancelled one", () => {
  let chains: TestChains;
  let chain: TestChain;
  let buyer: string;
  let other: string;
  let recipientAddress = "";
  let recipients = 0;
  beforeAll(async () => {
    const finality = { 31337: { mode: "confirmations", confirmations: CONFIRMATIONS } };
    chains = await startTestChains({ environment: { CHAINS_FINALITY: JSON.stringify(finality) } });
    chain = chains.chain;
    [, buyer = "", other = ""] = chain.accounts.map((account) => account.toLowerCase());
  });
  afterAll(() => chains?.stop());
  beforeEach(() => {
    recipientAddress = `0x${(++recipients).toString(16).padStart(40, "ca")}`;
  });

  type Terms = Omit<Opened, "$typeName" | "$unknown">;

  async function watched(id: string, version: number) {
    const read = "select from watches where payment_id = $1 and version = $2";
    await until(async () => (await chains.pool.query(read, [id, version])).rowCount === 1, {
      what: `the watch of ${id}`,
    });
  }

  async function open(terms: Terms = {}): Promise<string> {
    const id = await chains.open({ recipientAddress, unsignedClaims: "hold", ...terms });
    await watched(id, 1);
    return id;
  }

  async function cancel(id: string, terms: Terms = {}): Promise<void> {
    const cancelled = { status: "expired", failureCode: "cancelled", version: 2 };
    const payment = { recipientAddress, unsignedClaims: "hold", ...terms, ...cancelled, id };
    await chains.open({ ...payment, type: "payment.expired" });
    await watched(id, 2);
  }

  async function openCancelled(terms: Terms = {}): Promise<string> {
    const id = await open(terms);
    await cancel(id, terms);
    return id;
  }

  function declared(payerAddress: string) {
    const payerDeclaredAt = timestampFromDate(new Date(Date.now() - MINUTE_MS));
    return { payerAddress, payerDeclaredAt };
  }

  function send(value = AMOUNT) {
    return chain.submit({ from: buyer, to: recipientAddress, value });
  }

  async function pay(value = AMOUNT) {
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value });
    await chains.followed();
    await chain.mine(CONFIRMATIONS);
    return txHash;
  }

  async function verdictOn(id: string): Promise<string> {
    const { type, observation } = await chains.verdict(id);
    return observation.reason || type;
  }

  function getPublished(id: string) {
    return chains.seen
      .filter(({ observation: { subjectId } }) => subjectId === id)
      .map(({ type }) => type);
  }

  test("is found by its amount", async () => {
    const gone = await openCancelled();
    const id = await open();
    await pay();
    expect(await verdictOn(id)).toBe("transfer.confirmed");
    expect(await chains.candidate(gone)).toBeUndefined();
  });

  test("is found by parts as the only open payment, whatever the amount of the cancelled one", async () => {
    const gone = await openCancelled({ baseAmount: "600000" });
    const id = await open();
    await pay(600_000n);
    await until(async () => (await chains.candidate(id))?.reason === "underpaid");
    await pay(400_000n);
    expect(await verdictOn(id)).toBe("transfer.confirmed");
    expect(await chains.candidate(gone)).toBeUndefined();
  });

  test("is paid at once by the wallet that was declared for both", async () => {
    const payer = declared(buyer);
    const gone = await openCancelled(payer);
    const id = await open(payer);
    await chain.mineAtOnce(false);
    const txHash = await send();
    await chains.submit({ recipientAddress, unsignedClaims: "hold", ...payer, id, txHash });
    await until(async () => (await chains.candidate(id))?.tx_hash === txHash);
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.followed();
    await chain.mine(CONFIRMATIONS);
    expect(await verdictOn(id)).toBe("transfer.confirmed");
    expect(getPublished(id)).not.toContain("transfer.waiting");
    expect(getPublished(gone)).toEqual([]);
  });

  test("is paid by the wallet that has signed for the cancelled one", async () => {
    const signed = { ...declared(buyer), payerSignedAt: timestampFromDate(new Date()) };
    const gone = await openCancelled(signed);
    const id = await open();
    await chain.mineAtOnce(false);
    const txHash = await send();
    await chains.submit({ recipientAddress, unsignedClaims: "hold", id, txHash });
    await until(async () => (await chains.candidate(id))?.tx_hash === txHash);
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.followed();
    await chain.mine(CONFIRMATIONS);
    expect(await verdictOn(id)).toBe("transfer.confirmed");
    expect(getPublished(gone)).toEqual([]);
  });

  test("is paid at once where the other one is cancelled while the transfer waits for finality", async () => {
    const payer = declared(buyer);
    const [gone, id] = [await open(payer), await open(payer)];
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    for (const one of [gone, id]) {
      await until(async () => (await chains.candidate(one))?.tx_hash === txHash);
    }
    await cancel(gone, payer);
    await chain.mine(CONFIRMATIONS);
    expect(await verdictOn(id)).toBe("transfer.confirmed");
    expect(getPublished(id)).not.toContain("transfer.waiting");
    const lost = await until(async () => {
      const row = await chains.candidate(gone);
      return row.state === "rejected" && row;
    });
    expect(lost.reason).toBe("transfer_already_used");
  });

  test("leaves it a transfer that pays no open payment, for the merchant to decide", async () => {
    const gone = await openCancelled();
    const id = await open(declared(other));
    const txHash = await pay();
    const { type, observation } = await chains.verdict(gone);
    expect([type, observation.txHash]).toEqual(["transfer.confirmed", txHash]);
    expect(await chains.candidate(id)).toBeUndefined();
  });
});
