// Transfers whose call names a payment, on a real chain and from providers that do not tell the truth about it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { toReference, toReferenceSuffix } from "@pay/values";
import { JsonRpcProvider, Wallet, ZeroAddress } from "ethers";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const AMOUNT = 1_000_000n;
const LARGER = 2n * AMOUNT;
const GAS_PRICE = 3_000_000_000n;
const BY_HASH = ["eth_getTransactionByHash"];

describeChains("a transfer that names its payment", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let second: FaultProxy;
  let chains: TestChains;
  let shop = "";
  beforeEach(() => {
    shop = newWallet();
  });
  beforeAll(async () => {
    chain = await testChain();
    first = await chain.faultProxy();
    second = await chain.faultProxy();
    chains = await startTestChains({ chain, providers: [first.url, second.url] });
  });
  afterEach(() => {
    first.heal();
    second.heal();
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  async function open(amount = AMOUNT): Promise<string> {
    const currency = chain.token.address;
    const id = await chains.open({ recipientAddress: shop, currency, baseAmount: `${amount}` });
    await chains.watched(id);
    return id;
  }

  function suffix(id: string): string {
    return toReferenceSuffix(toReference(id));
  }

  function named(id: string, value = AMOUNT): string {
    return transferData(shop, value) + suffix(id);
  }

  /** What became of the only transfer of a transaction. */
  async function decided(txHash: string) {
    return until(async () => {
      const { rows } = await chains.pool.query(
        `select a.payment_id, a.rule, a.reason from attributions a join transfers t on t.id = a.transfer_id
         where t.tx_hash = $1 and a.decided_at is not null`,
        [txHash],
      );
      return rows[0] as { payment_id: string | null; rule: string | null; reason: string | null };
    });
  }

  test("is for it, whatever type its transaction has", async () => {
    const provider = new JsonRpcProvider(chain.rpcUrl, undefined, { cacheTimeout: -1 });
    const wallet = new Wallet(`0x${"42".repeat(32)}`, provider);
    await chain.payNative({ to: wallet.address, value: 10n ** 18n });
    await chain.payToken({ to: wallet.address, value: 4n * AMOUNT });
    const fees = { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 1n };
    const accessList = [{ address: shop, storageKeys: [`0x${"01".repeat(32)}`] }];
    const authorizationList = [await wallet.authorize({ address: ZeroAddress, nonce: 9n })];
    const types = [
      { type: 0, gasPrice: GAS_PRICE },
      { type: 1, gasPrice: GAS_PRICE, accessList },
      { type: 2, accessList, ...fees },
      { type: 4, authorizationList, ...fees },
    ];
    await open();
    const id = await open();
    for (const [nonce, type] of types.entries()) {
      const content = { to: chain.token.address, data: named(id), gasLimit: 200_000n, nonce };
      const { hash } = await wallet.sendTransaction({ ...content, ...type });
      expect([type.type, await decided(hash)]).toMatchObject([
        type.type,
        { payment_id: id, rule: "reference" },
      ]);
    }
    await chains.paid(id, 4n * AMOUNT);
    provider.destroy();
  });

  test("is for none that a provider invents", async () => {
    const [one, other] = [await open(), await open()];
    function invent(transaction: unknown) {
      const { input, ...rest } = transaction as { input: string };
      return { ...rest, input: input.replace(toReference(one), toReference(other)) };
    }

    for (const proxy of [first, second]) {
      proxy.fail({ kind: "change", change: invent }, { methods: BY_HASH });
    }
    const txHash = await chain.send({ to: chain.token.address, data: named(one) });
    expect(await decided(txHash)).toMatchObject({ payment_id: null, reason: "several_fit" });
  });

  test("is for it before anything is confirmed, where one provider hides the name", async () => {
    const [fitting, meant] = [await open(), await open(LARGER)];
    first.fail({ kind: "change", change: () => null }, { methods: BY_HASH });
    const txHash = await chain.send({ to: chain.token.address, data: named(meant) });
    await chains.paid(meant, AMOUNT);
    expect(await decided(txHash)).toMatchObject({ payment_id: meant, rule: "reference" });
    const told = chains.told.filter(({ money }) => money.paymentId === fitting);
    expect(told.filter(({ money }) => money.finalBaseAmount !== "0")).toEqual([]);
  });

  async function fundWallet(value: bigint): Promise<string> {
    const wallet = await chain.deploy(WALLET);
    await chain.payToken({ to: wallet, value });
    return wallet;
  }

  test("is for it, where a contract wallet names each in a call of its own", async () => {
    const wallet = await fundWallet(LARGER);
    const [one, other] = [await open(), await open()];
    const batch = [other, one].map((id) => ({ to: chain.token.address, data: named(id) }));
    const txHash = await chain.send({ to: wallet, data: calls(batch) });
    await chains.paid(one, AMOUNT);
    await chains.paid(other, AMOUNT);
    const { rows } = await chains.pool.query(
      `select a.payment_id, a.rule from attributions a join transfers t on t.id = a.transfer_id
       where t.tx_hash = $1 order by t.ordinal`,
      [txHash],
    );
    expect(rows.map(({ payment_id }) => payment_id)).toEqual([other, one]);
    expect(rows.map(({ rule }) => rule)).toEqual(["reference", "reference"]);
  });

  test("is not, where the name is in another call of the wallet, or no provider traces", async () => {
    const wallet = await fundWallet(LARGER);
    const [one] = [await open(), await open()];
    const plain = { to: chain.token.address, data: transferData(shop, AMOUNT) };
    const inert = { to: newWallet(), data: `0x${suffix(one)}` };
    const beside = await chain.send({ to: wallet, data: calls([inert, plain]) });
    expect(await decided(beside)).toMatchObject({ payment_id: null, reason: "several_fit" });
    for (const proxy of [first, second]) {
      proxy.fail({ kind: "error", code: -32_601 }, { methods: ["debug_traceTransaction"] });
    }
    const own = calls([{ to: chain.token.address, data: named(one) }]);
    const untraced = await chain.send({ to: wallet, data: own });
    expect(await decided(untraced)).toMatchObject({ payment_id: null, reason: "several_fit" });
  });

  test("is not, where a stranger moves the money, or the bytes are another call's", async () => {
    const [one] = [await open(), await open()];
    const [owner = "", spender = ""] = chain.accounts;
    const [to, words] = [chain.token.address, [owner, shop].map((one) => one.slice(2))];
    await chain.send({ to, data: `0x095ea7b3${word(spender)}${word(LARGER.toString(16))}` });
    const moved = `0x23b872dd${words.map(word).join("")}${word(AMOUNT.toString(16))}`;
    const txHash = await chain.send({ from: spender, to, data: moved + suffix(one) });
    expect(await decided(txHash)).toMatchObject({ payment_id: null, reason: "several_fit" });
  });
});

function word(hex: string): string {
  return hex.replace("0x", "").toLowerCase().padStart(64, "0");
}
