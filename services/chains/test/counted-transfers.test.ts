import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { checksumAddress } from "@pay/values";
import { describeChains, PROJECT, SHOP, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const tenant = { projectId: PROJECT, mode: Mode.TEST };

describeChains("the transfers that count for payments", () => {
  let chains: TestChains;
  let token: string;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    buyer = chains.chain.accounts[1] ?? "";
    await chains.chain.payToken({ to: buyer, value: 1_000_000_000n });
    await chains.decideByHashOnly(AMOUNT, token);
  });
  afterAll(() => chains?.stop());

  function payToken(value: bigint) {
    return chains.chain.payToken({ from: buyer, to: SHOP, value });
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
      toAddress: checksumAddress(SHOP),
      blockNumber: BigInt((await chains.chain.receipt(txHash))?.blockNumber ?? 0),
    };
  }

  test("are those that proved them, of many payments at once", async () => {
    const native = await chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const tokens = await payToken(AMOUNT + 5n);
    const [coin, paid] = [
      await chains.submit({ txHash: native }),
      await chains.submit({ txHash: tokens, currency: token }),
    ];
    for (const id of [coin, paid]) await chains.verdict(id);
    // Only now: of two that wait for one transfer, either may be given it.
    const unpaid = await chains.submit({ txHash: native });
    await chains.verdict(unpaid);

    const [first, second, ...others] = await listTransfers([paid, unpaid, coin, "pay_none"]);
    expect(others).toEqual([]);
    expect(first).toMatchObject(await expected(coin, native, AMOUNT));
    expect(first?.logIndex).toBeUndefined();
    expect(second).toMatchObject({ ...(await expected(paid, tokens, AMOUNT + 5n)), logIndex: 0 });
    const mined = await chains.chain.blockTime(tokens);
    expect(Number(second?.minedAt?.seconds)).toBe(mined.getTime() / 1_000);
    expect(second?.confirmedAt).toBeDefined();
  });

  test("include transfers that are not enough yet", async () => {
    const small = await payToken(AMOUNT - 400_000n);
    const id = await chains.submit({ txHash: small, currency: token });
    await chains.verdict(id);
    const [waiting, ...others] = await listTransfers([id]);
    expect(others).toEqual([]);
    expect(waiting).toMatchObject(await expected(id, small, AMOUNT - 400_000n));
    expect(waiting?.confirmedAt).toBeUndefined();

    const rest = await payToken(400_000n);
    await chains.submit({ id, version: 4, txHash: rest, currency: token });
    await chains.verdict(id, 1);
    const both = await listTransfers([id]);
    expect(both.map(({ txHash }) => txHash)).toEqual([small, rest]);
    for (const { confirmedAt } of both) expect(confirmedAt).toBeDefined();
  });

  test("belong to no other merchant", async () => {
    const txHash = await payToken(AMOUNT);
    const id = await chains.submit({ txHash, currency: token });
    await chains.verdict(id);
    expect(await listTransfers([id])).toHaveLength(1);
    expect(await listTransfers([id], { ...tenant, mode: Mode.LIVE })).toEqual([]);
    const stranger = { projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB", mode: Mode.TEST };
    expect(await listTransfers([id], stranger)).toEqual([]);
    await expect(chains.client.batchGetTransfers({ subjectIds: [id] })).rejects.toMatchObject({
      errorCode: "call_malformed",
    });
  });
});
