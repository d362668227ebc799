import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestChain, until } from "@pay/testing";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const UNKNOWN = `0x${"cd".repeat(32)}`;

describeChains("a proven payment", () => {
  let chains: TestChains;
  let chain: TestChain;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    chain = chains.chain;
    buyer = (chain.accounts[1] ?? "").toLowerCase();
  });
  afterAll(() => chains?.stop());

  function pay(value = AMOUNT) {
    return chain.payNative({ from: buyer, to: SHOP, value });
  }

  function getPublished(id: string) {
    return chains.seen.filter(({ observation }) => observation.subjectId === id);
  }

  function listTypes(id: string) {
    return getPublished(id).map(({ type }) => type);
  }

  async function readState(id: string, txHash: string) {
    const { rows } = await chains.pool.query(
      "select state from candidates where subject_id = $1 and tx_hash = $2",
      [id, txHash],
    );
    return rows[0]?.state as string | undefined;
  }

  async function proven(value = AMOUNT) {
    const txHash = await pay(value);
    const id = await chains.submit({ txHash });
    await chains.verdict(id);
    return { id, txHash };
  }

  test("that is submitted again with the same hash is published again for the newer attempt", async () => {
    const { id, txHash } = await proven(AMOUNT + 5n);
    await chains.submit({ id, txHash, version: 7 });
    const [first, second] = [await chains.verdict(id), await chains.verdict(id, 1)];
    expect(second).toMatchObject({ type: "transfer.confirmed", sequence: 7 });
    expect(second.observation).toEqual(first.observation);
    expect(first.observation).toMatchObject({
      txHash,
      submittedTxHash: txHash,
      receivedBaseAmount: "1000005",
      senderAddress: buyer,
      recipientAddress: SHOP,
      currency: "native",
    });
    expect(second.id).not.toBe(first.id);
  });

  test("that is submitted again with the same version publishes nothing", async () => {
    const { id, txHash } = await proven();
    await chains.submit({ id, txHash });
    await chains.submit({ id, txHash, version: 5 });
    await chains.submit({ id, txHash, version: 5 });
    await chains.submit({ id, txHash, version: 3 });
    await chains.verdict(id, 1);
    // Another one behind them shows that they have gone through.
    await proven();
    expect(getPublished(id).map(({ sequence }) => sequence)).toEqual([2, 5]);
  });

  test("that is submitted with another hash is published again, under the hash that proved it", async () => {
    const { id, txHash } = await proven();
    await chains.submit({ id, txHash: UNKNOWN, version: 4 });
    expect(await chains.verdict(id, 1)).toMatchObject({
      type: "transfer.confirmed",
      sequence: 4,
      observation: { txHash, submittedTxHash: txHash },
    });
    expect(await readState(id, UNKNOWN)).toBe("waiting");
  });

  test("that was completed by a second transaction is published again with the whole sum", async () => {
    const first = await pay(AMOUNT - 400_000n);
    const id = await chains.submit({ txHash: first });
    await chains.verdict(id);
    const second = await pay(400_000n);
    await chains.submit({ id, txHash: second, version: 4 });
    const proof = await chains.verdict(id, 1);
    await chains.submit({ id, txHash: second, version: 6 });
    const again = await chains.verdict(id, 2);
    expect(again.observation).toEqual(proof.observation);
    expect(again.observation).toMatchObject({ txHash: second, receivedBaseAmount: "1000000" });
  });

  test("that is paid a second time keeps the money as surplus, and no other order can take it", async () => {
    const { id } = await proven();
    const txHash = await pay(AMOUNT + 7n);
    await chains.submit({ id, txHash, version: 4 });
    const { observation } = await until(() =>
      getPublished(id).find(({ type }) => type === "transfer.surplus"),
    );
    expect(observation).toMatchObject({
      txHash,
      submittedTxHash: txHash,
      receivedBaseAmount: "1000007",
      reason: "",
      senderAddress: buyer,
      recipientAddress: SHOP,
      currency: "native",
    });
    const stranger = await chains.submit({ txHash });
    expect((await chains.verdict(stranger)).observation.reason).toBe("transfer_already_used");
    // Said once, however often its hash is submitted.
    await chains.submit({ id, txHash, version: 6 });
    await until(() => getPublished(id).find(({ sequence }) => sequence === 6));
    await proven();
    expect(listTypes(id).filter((type) => type === "transfer.surplus")).toHaveLength(1);
    expect(await readState(id, txHash)).toBe("surplus");
  });

  test("gets no surplus that an open order claims", async () => {
    const { id } = await proven();
    await chain.mineAtOnce(false);
    const txHash = await chain.submit({ from: buyer, to: SHOP, value: AMOUNT });
    await chains.submit({ id, txHash, version: 4, merchantSubmitted: true });
    const order = await chains.submit({ txHash, baseAmount: "3" });
    await until(async () => (await chains.candidate(order)).sender);
    await chain.mineAtOnce(true);
    await chain.mine();
    expect((await chains.verdict(order)).observation.reason).toBe("");
    const refusal = await until(() =>
      getPublished(id).find(({ type }) => type === "transfer.rejected"),
    );
    expect(refusal.observation).toMatchObject({
      submittedTxHash: txHash,
      reason: "transfer_already_used",
    });
  });

  /** Two transactions of one payment in one block, judged at the same time. */
  async function together(values: readonly [bigint, bigint]) {
    await chain.mineAtOnce(false);
    const hashes: string[] = [];
    for (const value of values) hashes.push(await chain.submit({ from: buyer, to: SHOP, value }));
    const id = await chains.submit({ txHash: hashes[0] ?? "" });
    await chains.submit({ id, txHash: hashes[1] ?? "", version: 3 });
    await until(async () => {
      const { rows } = await chains.pool.query(
        "select from candidates where subject_id = $1 and sender is not null",
        [id],
      );
      return rows.length === 2;
    });
    await chain.mineAtOnce(true);
    await chain.mine();
    await chains.pool.query("update candidates set next_at = now() where subject_id = $1", [id]);
    await chains.verdict(id, 1);
    return getPublished(id).map(({ type, observation }) => [type, observation.receivedBaseAmount]);
  }

  test("by two transactions at once has one proof and one surplus", async () => {
    for (let round = 0; round < 3; round++) {
      expect((await together([AMOUNT, AMOUNT])).toSorted()).toEqual([
        ["transfer.confirmed", "1000000"],
        ["transfer.surplus", "1000000"],
      ]);
    }
  });

  test("by two halves at once is proven by their sum", async () => {
    for (let round = 0; round < 3; round++) {
      const said = await together([600_000n, 400_000n]);
      expect(said.map(([type]) => type)).toEqual(["transfer.rejected", "transfer.confirmed"]);
      expect(said[1]).toEqual(["transfer.confirmed", "1000000"]);
    }
  });

  test("has its other hashes verified until each has a verdict", async () => {
    const bad = await chain.payNative({ to: buyer, value: AMOUNT });
    const { id } = await proven();
    await chains.submit({ id, txHash: bad, version: 4 });
    const refusal = await until(() =>
      getPublished(id).find(({ type }) => type === "transfer.rejected"),
    );
    expect(refusal.observation).toMatchObject({
      submittedTxHash: bad,
      reason: "recipient_mismatch",
    });
  });
});
