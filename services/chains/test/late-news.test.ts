// Events of payments that come late, after an outage of the bus, say, while the chain is followed on: what is found then is
// given to no payment before all are known that it may be for.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestChain, until } from "@pay/testing";
import { describeChains, type Seen, startTestChains, type TestChains, toAnswer } from "./chains.ts";

const AMOUNT = 1_000_000n;
const LOOKS = 2;

describeChains("a transfer that is found while the events of payments are late", () => {
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

  test("goes to the payment of the wallet that sent it, and not to the one that is known first", async () => {
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

  test("goes to the hash that came first, also where it is known later", async () => {
    const recipientAddress = `0x${"4f".repeat(20)}`;
    const terms = { recipientAddress, unsignedClaims: "first", created: new Date() };
    const { id: left, txHash, seen } = await foundFor(recipientAddress, terms);
    const named = await chains.submit({ ...terms, txHash });
    await until(() => chains.candidate(named));
    await chains.bus.publish([toAnswer(chain, seen.observation)]);
    expect((await chains.verdict(named)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(left)).observation.reason).toBe("transfer_already_used");
  });

  test("is held where the first hash wins, and no one has named it before another payment is known", async () => {
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

  test("pays the only payment once payments has answered, or its time is over", async () => {
    const answered = await foundFor(`0x${"2f".repeat(20)}`);
    expect(await chains.missed(answered.id, LOOKS)).toMatchObject({ state: "waiting" });
    await chains.bus.publish([toAnswer(chain, answered.seen.observation)]);
    expect((await chains.verdict(answered.id)).type).toBe("transfer.confirmed");
    const expires = new Date(Date.now() + 5_000);
    const { id } = await foundFor(`0x${"3f".repeat(20)}`, { expires });
    expect((await chains.verdict(id)).type).toBe("transfer.confirmed");
    expect(Date.now()).toBeGreaterThan(expires.getTime());
  });
});
