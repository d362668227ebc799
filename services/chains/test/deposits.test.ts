// Money of a token at the deposit address of a payment: whose it is, what waits there, and how it comes home.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import {
  type Address,
  newId,
  sweepTransaction,
  toAddress,
  toCurrency,
  toDepositAddress,
  toDepositSalt,
} from "@pay/values";
import { describeChains, newWallet, PROJECT, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const tenant = { projectId: PROJECT, mode: Mode.TEST };

describeChains("a deposit address", () => {
  let chains: TestChains;
  let token = "";
  let other = "";
  let shop: Address;
  let paymentId = "";
  let payTo = "";
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    other = (await chains.chain.deployToken({ symbol: "ODD", name: "Odd", decimals: 6 })).address;
  });
  afterAll(() => chains?.stop());
  beforeEach(async () => {
    shop = toAddress(newWallet());
    paymentId = newId("pay");
    payTo = toDepositAddress({ paymentId, recipient: shop });
    const payment = { recipientAddress: shop, currency: token, baseAmount: `${AMOUNT}`, payTo };
    await chains.watched(await chains.open({ id: paymentId, ...payment }));
    await chains.pool.query(
      "update book_accounts set balance = 0, balance_block = 5 where wallet = $1",
      [shop],
    );
  });

  async function readUnswept(owner = tenant) {
    const chainId = BigInt(chains.chain.chainId);
    const holdings = [{ chainId, wallet: shop, currency: token }];
    const { balances } = await chains.client.batchGetBalances({ tenant: owner, holdings });
    return balances[0]?.unsweptBaseAmount;
  }

  async function unswept(amount: bigint) {
    await chains.chain.mine();
    return until(async () => (await readUnswept()) === `${amount}`, { what: `${amount} unswept` });
  }

  async function sweep(currency = token) {
    const { to, data, gas } = sweepTransaction({
      currency: toCurrency(currency),
      recipient: shop,
      salts: [toDepositSalt(paymentId)],
    });
    const from = chains.chain.accounts[4] ?? "";
    return chains.chain.send({ from, to, data, gas });
  }

  async function readTransfers() {
    const page = { limit: 10, after: "", sort: "createdAt", order: "asc" };
    const { transfers } = await chains.client.listTransfers({ tenant, page });
    return transfers.filter(({ transfer }) =>
      [shop, payTo].includes(transfer?.toAddress.toLowerCase() ?? ""),
    );
  }

  test("is paid, swept by anybody to the recipient, and paid again", async () => {
    await chains.chain.payToken({ to: payTo, value: AMOUNT });
    await chains.paid(paymentId, AMOUNT);
    await unswept(AMOUNT);
    const swept = await sweep();
    await unswept(0n);
    const transfers = await until(async () => {
      const found = await readTransfers();
      return found.some(({ reason }) => reason === "sweep") && found;
    });
    expect(transfers.map(({ transfer, reason }) => [transfer?.subjectId, reason])).toEqual([
      ["", "sweep"],
      [paymentId, undefined],
    ]);
    expect(transfers[0]?.transfer?.txHash).toBe(swept);

    await chains.chain.payToken({ to: payTo, value: 5_000n });
    await chains.paid(paymentId, AMOUNT + 5_000n);
    await unswept(5_000n);
  });

  test("still holds what a sweep has moved whose block leaves the chain", async () => {
    await chains.chain.payToken({ to: payTo, value: AMOUNT });
    await chains.paid(paymentId, AMOUNT);
    await unswept(AMOUNT);
    await sweep();
    await unswept(0n);
    await chains.chain.reorg(2);
    await unswept(AMOUNT);
  });

  test("is of one project, whoever else has the same recipient", async () => {
    const stranger = { projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB", mode: Mode.TEST };
    const theirs = await chains.open({ ...stranger, recipientAddress: shop, currency: token });
    await chains.watched(theirs);
    await chains.chain.payToken({ to: payTo, value: AMOUNT });
    await chains.paid(paymentId, AMOUNT);
    await unswept(AMOUNT);
    expect(await readUnswept(stranger)).toBe("0");
    const { rows } = await chains.pool.query(
      "select distinct project_id from attributions a join transfers t on t.id = a.transfer_id where t.wallet = $1",
      [shop],
    );
    expect(rows).toEqual([{ project_id: PROJECT }]);
  });

  test("counts direct coin after the payment is confirmed, and is read on request for coin that came otherwise", async () => {
    const id = newId("pay");
    const address = toDepositAddress({ paymentId: id, recipient: shop });
    const terms = { recipientAddress: shop, currency: "native", baseAmount: "700", payTo: address };
    await chains.watched(await chains.open({ id, ...terms }));
    await chains.chain.payNative({ to: address, value: 700n });
    await chains.paid(id, 700n);
    await chains.chain.payNative({ to: address, value: 5n });
    await chains.paid(id, 705n);

    const chainId = BigInt(chains.chain.chainId);
    const recheck = (owner = tenant) =>
      chains.client.recheckDeposit({ tenant: owner, chainId, address });
    expect(await recheck({ ...tenant, projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB" })).toMatchObject({
      deposits: [],
    });
    await chains.pool.query("delete from deposits where address = $1", [address]);
    expect(await recheck()).toMatchObject({
      deposits: [{ currency: "native", baseAmount: "705", decimals: 18 }],
    });
    await chains.chain.mine();
    const found = "select from deposits where address = $1 and amount = 705";
    await until(async () => (await chains.pool.query(found, [address])).rowCount === 1);
  });

  test("gives a token home that nobody lists, and that nobody was due", async () => {
    await chains.chain.payToken({ to: payTo, value: 7n, token: other });
    await sweep(other);
    const held = await chains.chain.call("eth_call", [
      { to: other, data: `0x70a08231${shop.slice(2).padStart(64, "0")}` },
      "latest",
    ]);
    expect(BigInt(held as string)).toBe(7n);
  });
});
