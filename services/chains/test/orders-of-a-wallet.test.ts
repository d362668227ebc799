// Many open payments of one wallet, which submits no hash: the amount says which of them a transfer is for.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { describeChains, startTestChains, type TestChains } from "./chains.ts";

const MINUTE_MS = 60_000;
const RECIPIENT = `0x${"0d".repeat(20)}`;

describeChains("a wallet that is declared for many open payments", () => {
  let chains: TestChains;
  beforeAll(async () => {
    chains = await startTestChains();
  });
  afterAll(() => chains?.stop());

  test("pays each of them by its amount", async () => {
    const { chain, pool, seen } = chains;
    const recipientAddress = RECIPIENT;
    const payerAddress = (chain.accounts[1] ?? "").toLowerCase();
    const payerDeclaredAt = timestampFromDate(new Date(Date.now() - MINUTE_MS));
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
});
