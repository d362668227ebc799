import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { checksumAddress } from "@pay/values";
import { describeChains, newWallet, PROJECT, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const tenant = { projectId: PROJECT, mode: Mode.TEST };

describeChains("the transfers that count for payments", () => {
  let chains: TestChains;
  let token: string;
  let buyer: string;
  let shop = "";
  beforeEach(() => {
    shop = newWallet();
  });
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    buyer = chains.chain.accounts[1] ?? "";
    await chains.chain.payToken({ to: buyer, value: 1_000_000_000n });
  });
  afterAll(() => chains?.stop());

  function payToken(value: bigint) {
    return chains.chain.payToken({ from: buyer, to: shop, value });
  }

  async function open(currency: string) {
    const id = await chains.open({ recipientAddress: shop, currency });
    await chains.watched(id);
    return id;
  }

  async function listTransfers(subjectIds: string[], owner = tenant) {
    return (await chains.client.batchGetTransfers({ tenant: owner, subjectIds })).transfers;
  }

  async function expected(subjectId: string, txHash: string, baseAmount: bigint) {
    return {
      subjectId,
      txHash,
      baseAmount: baseAmount.toString(),
      fromAddress: checksumAddress(buyer),
      toAddress: checksumAddress(shop),
      blockNumber: BigInt((await chains.chain.receipt(txHash))?.blockNumber ?? 0),
    };
  }

  test("are those that proved them, of many payments at once", async () => {
    const coin = await open("native");
    const native = await chains.chain.payNative({ from: buyer, to: shop, value: AMOUNT });
    await chains.paid(coin, AMOUNT);
    const paid = await open(token);
    const tokens = await payToken(AMOUNT);
    await chains.paid(paid, AMOUNT);
    const unpaid = await open("native");

    const [first, second, ...others] = await listTransfers([paid, unpaid, coin, "pay_none"]);
    expect(others).toEqual([]);
    expect(first).toMatchObject(await expected(coin, native, AMOUNT));
    expect(first?.logIndex).toBeUndefined();
    expect(second).toMatchObject({ ...(await expected(paid, tokens, AMOUNT)), logIndex: 0 });
    const mined = await chains.chain.blockTime(tokens);
    expect(Number(second?.minedAt?.seconds)).toBe(mined.getTime() / 1_000);
    expect(second?.confirmedAt).toBeDefined();
  });

  test("balances are those that the books have read for wallets of the tenant", async () => {
    await open(token);
    const wallet = shop.toLowerCase();
    const holdings = ["native", token.toLowerCase()].map((currency) => ({
      chainId: BigInt(chains.chain.chainId),
      wallet,
      currency,
    }));
    async function read(owner = tenant) {
      return (await chains.client.batchGetBalances({ tenant: owner, holdings })).balances;
    }

    expect(await read()).toEqual([]);
    await chains.pool.query(
      "update book_accounts set balance = 7, balance_block = 5 where wallet = $1",
      [wallet],
    );
    // The coin of the wallet is in the books for the network fee alone.
    expect(await read()).toMatchObject([
      { holding: holdings[1], baseAmount: "7", blockNumber: 5n },
    ]);
    for (const stranger of [
      { ...tenant, mode: Mode.LIVE },
      { ...tenant, projectId: "proj_stranger" },
    ]) {
      expect(await read(stranger)).toEqual([]);
    }
  });

  test("include transfers that are not enough yet", async () => {
    const id = await open(token);
    const small = await payToken(AMOUNT - 400_000n);
    await chains.paid(id, AMOUNT - 400_000n);
    const [part, ...others] = await listTransfers([id]);
    expect(others).toEqual([]);
    expect(part).toMatchObject(await expected(id, small, AMOUNT - 400_000n));

    const rest = await payToken(400_000n);
    await chains.paid(id, AMOUNT);
    const both = await listTransfers([id]);
    expect(both.map(({ txHash }) => txHash)).toEqual([small, rest]);
    for (const { confirmedAt } of both) expect(confirmedAt).toBeDefined();
  });

  test("belong to no other merchant", async () => {
    const id = await open(token);
    await payToken(AMOUNT);
    await chains.paid(id, AMOUNT);
    expect(await listTransfers([id])).toHaveLength(1);
    expect(await listTransfers([id], { ...tenant, mode: Mode.LIVE })).toEqual([]);
    const stranger = { projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB", mode: Mode.TEST };
    expect(await listTransfers([id], stranger)).toEqual([]);
    await expect(chains.client.batchGetTransfers({ subjectIds: [id] })).rejects.toMatchObject({
      errorCode: "call_malformed",
    });
  });
});
