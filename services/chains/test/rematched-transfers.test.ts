// A transfer that arrives while the payment has a hash under judgement, or while it is not known for which payment it
// is: once that is over, it pays all the same.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, type Opened, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const MINUTE_MS = 60_000;
const UNKNOWN = `0x${"cd".repeat(32)}`;
const ELSEWHERE = `0x${"5".repeat(40)}`;

describeChains("a transfer beside an open hash", () => {
  let chain: TestChain;
  let provider: FaultProxy;
  let chains: TestChains;
  let aheadMs = 0;
  let recipient = "";
  let recipients = 0;
  beforeAll(async () => {
    chain = await testChain();
    provider = await chain.faultProxy();
    const finality = { [chain.chainId]: { mode: "confirmations", confirmations: 4 } };
    chains = await startTestChains({
      chain,
      providers: [provider.url],
      clock: { now: () => new Date(Date.now() + aheadMs) },
      environment: { CHAINS_FINALITY: JSON.stringify(finality) },
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });
  beforeEach(() => {
    recipient = `0x${(++recipients).toString(16).padStart(40, "a")}`;
  });

  /** A payment that is watched, and was created before anything that the follower remembers. */
  async function open(payment: Opened = {}) {
    const created = new Date(Date.now() - 30 * MINUTE_MS);
    const expires = new Date(Date.now() + 30 * MINUTE_MS);
    const id = await chains.open({ recipientAddress: recipient, created, expires, ...payment });
    // Handled, not only known: what is mined from then on is followed for it.
    await until(
      async () => {
        await chain.mine();
        const { rows } = await chains.pool.query(
          "select from watches join cursors using (chain_id) where payment_id = $1 and opened_xid < watched_xid",
          [id],
        );
        return rows.length > 0;
      },
      { what: "a payment that is followed" },
    );
    return { id, recipientAddress: recipient, created, expires };
  }

  async function pay() {
    const [, , from = ""] = chain.accounts;
    const txHash = await chain.payNative({ from, to: recipient, value: AMOUNT });
    await until(
      async () => {
        const stored = "select from transfers where tx_hash = $1";
        return (await chains.pool.query(stored, [txHash])).rowCount === 1;
      },
      { what: "the transfer, followed" },
    );
    return txHash;
  }

  function readProof(id: string) {
    return until(
      () =>
        chains.seen.find(
          ({ type, observation }) => type === "transfer.confirmed" && observation.subjectId === id,
        )?.observation,
      { what: `the proof of ${id}` },
    );
  }

  test("pays once the hash is rejected, without a request for old blocks", async () => {
    const payment = await open();
    const wrong = await chain.payNative({ to: ELSEWHERE, value: AMOUNT });
    await chains.submit({ ...payment, txHash: wrong });
    await until(async () => (await chains.candidate(payment.id))?.first_seen_at);
    const txHash = await pay();
    expect(await chains.candidate(payment.id)).toMatchObject({ tx_hash: wrong });
    const { rows } = await chains.pool.query("select head_number::int as head from cursors");
    let older = 0;
    provider.fail(
      { kind: "change", change: (block) => block },
      {
        methods: ["eth_getBlockByNumber"],
        when: ([number]) => {
          if (Number(number) < rows[0].head - 2) older++;
          return false;
        },
      },
    );
    await chain.mine(4);
    expect((await chains.verdict(payment.id)).observation.reason).toBe("recipient_mismatch");
    expect(await readProof(payment.id)).toMatchObject({ txHash });
    expect(older).toBe(0);
  });

  test("pays once the hash was searched without a result", async () => {
    const payment = await open();
    const later =
      "update candidates set misses = $2, next_at = now() + $3 * interval '1 hour' where subject_id = $1";
    await chains.submit({ ...payment, txHash: UNKNOWN });
    await chains.missed(payment.id);
    await chains.pool.query(later, [payment.id, 0, 1]);
    const txHash = await pay();
    expect(await chains.candidate(payment.id)).toMatchObject({ tx_hash: UNKNOWN });
    await chains.pool.query(later, [payment.id, 2, 0]);
    await until(async () => (await chains.candidate(payment.id)).tx_hash === txHash);
    await chain.mine(4);
    expect(await readProof(payment.id)).toMatchObject({ txHash });
  });

  test("pays once the wallet of its payment has signed", async () => {
    const payment = await open();
    await open();
    const txHash = await pay();
    expect(await chains.candidate(payment.id)).toBeUndefined();
    const [, , payerAddress = ""] = chain.accounts;
    const at = timestampFromDate(new Date());
    await chains.open({
      ...payment,
      type: "payment.payer_declared",
      version: 2,
      payerAddress: payerAddress.toLowerCase(),
      payerDeclaredAt: at,
      payerSignedAt: at,
    });
    await until(async () => (await chains.candidate(payment.id))?.tx_hash === txHash);
    await chain.mine(4);
    expect(await readProof(payment.id)).toMatchObject({ txHash });
  });

  test("pays within an extension whose event arrives after the transfer", async () => {
    const payment = await open({ expires: new Date(Date.now() - MINUTE_MS) });
    const txHash = await pay();
    expect(await chains.candidate(payment.id)).toBeUndefined();
    const expires = new Date(Date.now() + 30 * MINUTE_MS);
    await chains.open({ ...payment, type: "payment.extended", version: 2, expires });
    await until(async () => (await chains.candidate(payment.id))?.tx_hash === txHash);
    await chain.mine(4);
    expect(await readProof(payment.id)).toMatchObject({ txHash });
  });

  test("pays once the hash is abandoned", async () => {
    const payment = await open();
    await chains.submit({ ...payment, txHash: UNKNOWN });
    await chains.missed(payment.id);
    // As it is where a transaction was seen unmined, and its wallet took it back.
    const seen = "update candidates set first_seen_at = now() where subject_id = $1";
    await chains.pool.query(seen, [payment.id]);
    const txHash = await pay();
    await chain.mine(4);
    expect(await chains.candidate(payment.id)).toMatchObject({ tx_hash: UNKNOWN });
    aheadMs += 95 * MINUTE_MS;
    // So late a hash is looked at rarely.
    const soon =
      "update candidates set next_at = now() where subject_id = $1 and state = 'waiting'";
    await until(async () => {
      await chains.pool.query(soon, [payment.id]);
      return (await chains.candidate(payment.id)).state === "confirmed";
    });
    expect(await readProof(payment.id)).toMatchObject({ txHash });
  });
});
