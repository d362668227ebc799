// A confirmed payment whose transfer leaves the chain, and transfers that only the second reading finds.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, type Seen, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
/** The depth at which a chain without configuration counts as final, and some more. */
const FINAL = 140;

let recipient = "";
let recipients = 0;
beforeEach(() => {
  recipient = `0x${(++recipients).toString(16).padStart(40, "e")}`;
});

describeChains("a proof that leaves the chain", () => {
  let aheadMs = 0;
  let chains: TestChains;
  beforeAll(async () => {
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    chains = await startTestChains({ clock });
  });
  afterAll(() => chains?.stop());

  /** What was published about a payment: so many events of it. */
  function published(id: string, count: number): Promise<Seen[]> {
    return until(
      () => {
        const events = chains.seen.filter(({ observation }) => observation.subjectId === id);
        return events.length >= count && events;
      },
      { what: `${count} events of ${id}` },
    );
  }

  async function paid(more: object = {}): Promise<{ id: string; txHash: string; raw: string }> {
    const txHash = await chains.chain.payNative({ to: recipient, value: AMOUNT });
    const created = new Date(Date.now() - 60_000);
    const id = await chains.submit({ recipientAddress: recipient, created, txHash, ...more });
    await published(id, 1);
    const raw = await chains.chain.call("eth_getRawTransactionByHash", [txHash]);
    return { id, txHash, raw: raw as string };
  }

  test("is revoked, and proves the payment again when it is mined again", async () => {
    const { chain } = chains;
    const { id, txHash, raw } = await paid();
    await chain.reorg(1);
    await chain.mine();
    await published(id, 2);
    await chain.call("eth_sendRawTransaction", [raw]);
    const events = await published(id, 3);
    expect(events.map(({ type, observation }) => [type, observation.txHash])).toEqual([
      ["transfer.confirmed", txHash],
      ["transfer.unseen", txHash],
      ["transfer.confirmed", txHash],
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(3);
    const blockNumber = BigInt((await chain.receipt(txHash))?.blockNumber ?? 0);
    expect(events[2]?.observation).toMatchObject({ blockNumber });
    const { rows } = await chains.pool.query(
      `select a.subject_id, t.block_number::int as number from allocations a
       join transfers t on t.id = a.transfer_id where t.tx_hash = $1`,
      [txHash],
    );
    expect(rows).toEqual([{ subject_id: id, number: Number(blockNumber) }]);
  });

  test("leaves the payment to another transfer of the payer", async () => {
    const { chain } = chains;
    const { id, txHash } = await paid();
    await chain.reorg(1);
    await published(id, 2);
    const [, other = ""] = chain.accounts;
    const second = await chain.payNative({ to: recipient, value: AMOUNT, from: other });
    await chains.submit({ id, version: 3, recipientAddress: recipient, txHash: second });
    const events = await published(id, 3);
    expect(events[2]).toMatchObject({
      type: "transfer.confirmed",
      observation: { txHash: second },
    });
    expect(txHash).not.toBe(second);
  });

  test("is revoked alone where it was surplus, and is surplus again when it is mined again", async () => {
    const { chain } = chains;
    const { id, txHash } = await paid();
    const [, from = ""] = chain.accounts;
    const more = await chain.payNative({ to: recipient, value: AMOUNT * 2n, from });
    const raw = await chain.call("eth_getRawTransactionByHash", [more]);
    await chains.submit({ id, version: 3, recipientAddress: recipient, txHash: more });
    // The proof is published again for the newer version.
    await published(id, 3);
    await chains.followed();
    await chain.reorg(1);
    await chain.mine();
    const gone = (await published(id, 4))[3];
    expect(gone).toMatchObject({
      type: "transfer.unseen",
      observation: { txHash: more, submittedTxHash: more, receivedBaseAmount: `${AMOUNT * 2n}` },
    });
    const { rows } = await chains.pool.query(
      `select t.tx_hash, c.state, c.epoch from allocations a join transfers t on t.id = a.transfer_id
       join candidates c on c.id = a.candidate_id where a.subject_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ tx_hash: txHash, state: "confirmed", epoch: 0 }]);
    await chain.call("eth_sendRawTransaction", [raw]);
    const events = await published(id, 5);
    expect(events.map(({ type, observation }) => [type, observation.txHash])).toEqual([
      ["transfer.confirmed", txHash],
      ["transfer.confirmed", txHash],
      ["transfer.surplus", more],
      ["transfer.unseen", more],
      ["transfer.surplus", more],
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(5);
  });

  test("of a block that is not final is revoked although no reorganisation was noticed", async () => {
    const { chain } = chains;
    const { id, txHash } = await paid();
    // A look back for the payment, perhaps under way, writes the true hash once more, so the wrong one is set until
    // it counts.
    await until(
      async () => {
        await chains.pool.query(
          `update transfers t set block_hash = $2 from candidates c
           where t.tx_hash = $1 and c.tx_hash = $1 and c.epoch = 0`,
          [txHash, `0x${"9".repeat(64)}`],
        );
        return chains.seen.some(
          ({ type, observation }) => type === "transfer.unseen" && observation.subjectId === id,
        );
      },
      { what: "the end of the proof" },
    );
    await chain.mine(FINAL);
    const events = await published(id, 3);
    expect(events.map(({ type }) => type)).toEqual([
      "transfer.confirmed",
      "transfer.unseen",
      "transfer.confirmed",
    ]);
    await until(async () => {
      const { rows } = await chains.pool.query("select status from transfers where tx_hash = $1", [
        txHash,
      ]);
      return rows[0]?.status === "final";
    });
  });

  test("fails the payment as reorged after an hour, and confirms it when it is mined later", async () => {
    const { chain } = chains;
    const created = new Date(Date.now() - 60_000);
    const lifetime = { created, expires: new Date(Date.now() + 180 * 60_000) };
    const { id, txHash, raw } = await paid(lifetime);
    await chain.reorg(1);
    await published(id, 2);
    // As the payment is then: its hash is under judgement again.
    await chains.submit({ id, version: 4, recipientAddress: recipient, txHash, ...lifetime });
    await until(async () => (await chains.candidate(id)).attempt === 4);
    // The head is later than the end of the wait before the clock is: its time is what shows that the provider is up
    // to date.
    await chain.setNextBlockTime(Math.floor((Date.now() + 62 * 60_000) / 1_000));
    await chain.mine();
    aheadMs += 61 * 60_000;
    const [, , rejection] = await published(id, 3);
    expect(rejection).toMatchObject({
      type: "transfer.rejected",
      observation: { reason: "reorged" },
    });
    await chain.call("eth_sendRawTransaction", [raw]);
    const events = await published(id, 4);
    expect(events[3]).toMatchObject({ type: "transfer.confirmed", observation: { txHash } });
    expect(new Set(events.map((event) => event.id)).size).toBe(4);
  });
});

describeChains("a transaction that a reorganisation drops before its verdict", () => {
  test("is judged by the transaction that took its nonce, although it was never pending", async () => {
    const finality = { 31337: { mode: "confirmations", confirmations: 4 } };
    const environment = { CHAINS_FINALITY: JSON.stringify(finality) };
    const chains = await startTestChains({ environment });
    try {
      const { chain } = chains;
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      const created = new Date(Date.now() - 60_000);
      const id = await chains.submit({ recipientAddress: recipient, created, txHash });
      await until(async () => (await chains.candidate(id))?.sender);
      await chain.reorg(1);
      await chain.payNative({ to: `0x${"5".repeat(40)}`, value: AMOUNT });
      await chain.mine(4);
      expect((await chains.verdict(id)).observation.reason).toBe("replaced");
    } finally {
      await chains.stop();
    }
  });
});

describeChains("a provider that hides a transfer", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    first = await chain.faultProxy();
    chains = await startTestChains({ chain, providers: [first.url, chain.rpcUrl] });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  test("delays the payment until the block is final and another provider agrees", async () => {
    function withoutFilter(block: unknown) {
      return block === null ? null : { ...(block as object), logsBloom: `0x${"0".repeat(512)}` };
    }

    first.fail({ kind: "change", change: () => [] }, { methods: ["eth_getLogs"] });
    first.fail({ kind: "change", change: withoutFilter }, { methods: ["eth_getBlockByNumber"] });
    const created = new Date(Date.now() - 60_000);
    const currency = chain.token.address;
    const id = await chains.open({ recipientAddress: recipient, created, currency });
    await until(async () => {
      const { rows } = await chains.pool.query(
        "select from watches w join cursors c using (chain_id) where payment_id = $1 and c.final_number is not null",
        [id],
      );
      return rows.length > 0;
    });
    // It is the one that is followed: one that names its chain late is passed over.
    await until(() => first.calls("eth_getLogs") > 0, { what: "a question for logs" });
    const txHash = await chain.payToken({ to: recipient, value: AMOUNT });
    await chains.followed();
    const { rows } = await chains.pool.query("select from transfers where tx_hash = $1", [txHash]);
    expect(rows).toEqual([]);
    await chain.mine(FINAL);
    expect((await chains.verdict(id)).observation).toMatchObject({ txHash });
  });
});
