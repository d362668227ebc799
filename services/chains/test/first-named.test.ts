// Where the first hash wins, it is the one that was named first, also where chains reads both from one batch of events.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  describeChains,
  makeSubmission,
  startTestChains,
  type TestChains,
  toAnswer,
} from "./chains.ts";

const AMOUNT = 1_000_000n;

describeChains("of two hashes that come in one batch, the one that was named first", () => {
  let chains: TestChains;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains({ isAnswering: false });
    buyer = (chains.chain.accounts[1] ?? "").toLowerCase();
  });
  afterAll(() => chains?.stop());

  async function readOutcomes(first: string, second: string) {
    expect((await chains.verdict(first)).type).toBe("transfer.confirmed");
    expect((await chains.verdict(second)).observation.reason).toBe("transfer_already_used");
  }

  test.each([
    ["older", "1a", (older: string, newer: string) => [older, newer] as const],
    ["newer", "2a", (older: string, newer: string) => [newer, older] as const],
  ])("wins for the %s of the payments", async (_which, byte, inOrder) => {
    const recipientAddress = `0x${byte.repeat(20)}`;
    const ids = [newId("pay"), newId("pay")].toSorted();
    const [first, second] = inOrder(ids[0] ?? "", ids[1] ?? "");
    const { chain } = chains;
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    await chains.bus.publish(
      [first, second].map((id) => makeSubmission(chain, { id, recipientAddress, txHash })),
    );
    await readOutcomes(first, second);
  });

  test("wins before a transaction that was found for a payment, and is named as the second", async () => {
    const recipientAddress = `0x${"3a".repeat(20)}`;
    const terms = { recipientAddress, created: new Date() };
    const { chain } = chains;
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
