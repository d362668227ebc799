// Events of payments that arrive late or in one batch while the chain is followed. A found transfer gets no payment
// before every payment is known that it may be for, and the first submitted hash wins.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  makeSubmission,
  type Seen,
  startTestChains,
  type TestChains,
  toAnswer,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const LOOKS = 2;

describeChains("with late or batched events of payments", () => {
  let chains: TestChains;
  let chain: TestChain;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains({ isAnswering: false });
    chain = chains.chain;
    buyer = (chain.accounts[1] ?? "").toLowerCase();
  });
  afterAll(() => chains?.stop());

  /** An order that was opened before, and was left; resolves when the transfer to its address is found for it. */
  async function foundFor(
    recipientAddress: string,
    terms: { expires?: Date; unsignedClaims?: string } = {},
  ): Promise<{ id: string; txHash: string; seen: Seen }> {
    const id = await chains.open({ recipientAddress, unsignedClaims: "hold", ...terms });
    await chains.watched(id);
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    const seen = await until(
      () =>
        chains.seen.find(
          ({ type, observation }) => type === "transfer.seen" && observation.subjectId === id,
        ),
      { what: "the transfer that was found" },
    );
    return { id, txHash, seen };
  }

  test("a transfer pays the payment of its sender, not the one that is known first", async () => {
    const recipientAddress = `0x${"1f".repeat(20)}`;
    const before = new Date(Date.now() - 5_000);
    const left = await foundFor(recipientAddress);
    expect(await chains.missed(left.id, LOOKS)).toMatchObject({ state: "waiting", found: true });
    const paid = await chains.submit({
      recipientAddress,
      unsignedClaims: "hold",
      created: before,
      payerAddress: buyer,
      payerDeclaredAt: timestampFromDate(before),
      txHash: left.txHash,
    });
    await chains.bus.publish([toAnswer(chain, left.seen.observation)]);
    expect((await chains.verdict(paid)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(left.id)).observation.reason).toBe("transfer_already_used");
  });

  test("a transfer pays the payment whose hash was submitted first, also where its event is late", async () => {
    const recipientAddress = `0x${"4f".repeat(20)}`;
    const terms = { recipientAddress, unsignedClaims: "first", created: new Date() };
    const { id: left, txHash, seen } = await foundFor(recipientAddress, terms);
    const named = await chains.submit({ ...terms, txHash });
    await until(() => chains.candidate(named));
    await chains.bus.publish([toAnswer(chain, seen.observation)]);
    expect((await chains.verdict(named)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(left)).observation.reason).toBe("transfer_already_used");
  });

  test("a found transfer is on hold where no hash was submitted before another payment is known", async () => {
    const recipientAddress = `0x${"5f".repeat(20)}`;
    const terms = { recipientAddress, unsignedClaims: "first", created: new Date() };
    const { id: left, txHash, seen } = await foundFor(recipientAddress, terms);
    const paid = await chains.open(terms);
    await chains.watched(paid);
    await chains.bus.publish([toAnswer(chain, seen.observation)]);
    await until(async () => (await chains.candidate(left)).needs === "payer_signature");
    await chains.submit({ ...terms, id: paid, txHash, merchantSubmitted: true });
    expect((await chains.verdict(paid)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(left)).observation.reason).toBe("transfer_already_used");
  });

  test("a transfer pays the only payment after the event of payments, or after its expiry", async () => {
    const answered = await foundFor(`0x${"2f".repeat(20)}`);
    expect(await chains.missed(answered.id, LOOKS)).toMatchObject({ state: "waiting" });
    await chains.bus.publish([toAnswer(chain, answered.seen.observation)]);
    expect((await chains.verdict(answered.id)).type).toBe("transfer.confirmed");
    const expires = new Date(Date.now() + 5_000);
    const { id } = await foundFor(`0x${"3f".repeat(20)}`, { expires });
    expect((await chains.verdict(id)).type).toBe("transfer.confirmed");
    expect(Date.now()).toBeGreaterThan(expires.getTime());
  });

  async function readOutcomes(first: string, second: string) {
    expect((await chains.verdict(first)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(second)).observation.reason).toBe("transfer_already_used");
  }

  test.each([
    ["older", "1a", (older: string, newer: string) => [older, newer] as const],
    ["newer", "2a", (older: string, newer: string) => [newer, older] as const],
  ])(
    "the first of two hashes in one batch wins for the %s payment",
    async (_which, byte, inOrder) => {
      const recipientAddress = `0x${byte.repeat(20)}`;
      const ids = [newId("pay"), newId("pay")].toSorted();
      const [first, second] = inOrder(ids[0] ?? "", ids[1] ?? "");
      const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
      await chains.bus.publish(
        [first, second].map((id) => makeSubmission(chain, { id, recipientAddress, txHash })),
      );
      await readOutcomes(first, second);
    },
  );

  test("a submitted hash wins over a found one whose payment event is later in the batch", async () => {
    const recipientAddress = `0x${"3a".repeat(20)}`;
    const terms = { recipientAddress, created: new Date() };
    const found = await chains.open(terms);
    await chains.watched(found);
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    const { observation } = await until(
      () => chains.seen.find((one) => one.observation.subjectId === found),
      { what: "the transfer that was found" },
    );
    const named = newId("pay");
    await chains.bus.publish([
      makeSubmission(chain, { ...terms, id: named, txHash }),
      toAnswer(chain, observation),
    ]);
    await readOutcomes(named, found);
  });
});
