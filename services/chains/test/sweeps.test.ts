// Sweeps that the service sends itself: what they take, what they cost, and what becomes of them when something fails.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestChain, testChain, until } from "@pay/testing";
import { newId, toAddress, toDepositAddress } from "@pay/values";
import { describeChains } from "./chains.ts";
import {
  BUYER,
  type KeyFiles,
  keyFiles,
  type PayingWallet,
  startPayingWallet,
} from "./paying-wallet.ts";

const AMOUNT = 1_000_000n;

describeChains("a sweep that the service sends", () => {
  let chain: TestChain;
  let token = "";
  beforeAll(async () => {
    chain = await testChain();
    token = chain.token.address;
  });
  afterAll(() => chain?.stop());

  async function withWallet(
    account: number,
    signer: object,
    act: (wallet: PayingWallet, files: KeyFiles) => Promise<void>,
  ) {
    const files = await keyFiles(account);
    const wallet = await startPayingWallet({ chain, files, signer });
    try {
      await act(wallet, files);
    } finally {
      await wallet.stop();
      files.remove();
    }
  }

  /** With money at its deposit address. */
  async function pay({ chains }: PayingWallet, recipient: string, value: bigint, currency = token) {
    const id = newId("pay");
    const payTo = toDepositAddress({ paymentId: id, recipient: toAddress(recipient) });
    const terms = { recipientAddress: recipient, currency, baseAmount: `${value}`, payTo };
    await chains.watched(await chains.open({ id, ...terms }));
    if (currency === "native") await chain.payNative({ to: payTo, value });
    else await chain.payToken({ to: payTo, value });
    await chains.paid(id, value);
    // What is at the address counts from the second block on.
    await chain.mine();
    return { id, payTo };
  }

  async function readToken(holder: string) {
    const data = `0x70a08231${holder.slice(2).padStart(64, "0")}`;
    return BigInt((await chain.call("eth_call", [{ to: token, data }, "latest"])) as string);
  }

  async function readCoin(holder: string) {
    return BigInt((await chain.call("eth_getBalance", [holder, "latest"])) as string);
  }

  function read({ chains }: PayingWallet, text: string) {
    return chains.pool.query(text).then(({ rows }) => rows);
  }

  test("moves what is worth it in one transaction, whoever the recipient is", async () => {
    const enough = { transactionMax: "0.000001", dayMax: "0.000001", sweepMin: "0.5" };
    const signer = { limits: { [token]: enough }, sweepAfterMinutes: 1_440 };
    await withWallet(4, signer, async (wallet) => {
      const shop = "0x5555555555555555555555555555555555555551";
      const [first, second] = [
        await pay(wallet, shop, AMOUNT),
        await pay(wallet, shop, 2n * AMOUNT),
      ];
      const dust = await pay(wallet, shop, AMOUNT / 4n);
      const found = "select address from deposits where amount > 0";
      await until(async () => (await read(wallet, found)).length === 3);
      expect(await read(wallet, "select from intents")).toEqual([]);

      await wallet.chains.pool.query(
        "update deposits set sweep_after = now() - interval '1 day' where address = $1",
        [second.payTo],
      );
      await until(async () => (await readToken(shop)) === 3n * AMOUNT, { what: "the sweep" });
      const swept = [first.id, second.id].sort();
      const [intent] = await read(wallet, "select * from intents");
      expect({ ...intent, payment_ids: [...intent.payment_ids].sort() }).toMatchObject({
        kind: "sweep",
        payment_ids: swept,
        base_amount: `${3n * AMOUNT}`,
      });
      await until(async () => (await read(wallet, `${found} and sweep_id is null`)).length === 1);
      await chain.mine(70);
      await wallet.chains.pool.query("update intents set next_at = now()");
      await wallet.intentIn(intent.subject_id, "completed");
      await until(async () => (await read(wallet, found)).length === 1);
      expect(await read(wallet, found)).toEqual([{ address: dust.payTo }]);
      expect(await read(wallet, "select from deposits where sweep_id is not null")).toEqual([]);
      expect(await read(wallet, "select from submissions where subject_id like 'sweep%'")).toEqual(
        [],
      );
      expect(wallet.chains.seen).toEqual([]);
    });
  });

  test("comes before a refund that lacks the money, whatever the amount", async () => {
    const limit = { transactionMax: "1000", dayMax: "1000" };
    await withWallet(5, { limits: { [token]: limit } }, async (wallet, files) => {
      await pay(wallet, files.address, AMOUNT);
      const { id: paymentId } = await pay(wallet, files.address, AMOUNT);
      const before = await readToken(BUYER);
      const refund = { paymentId, currency: token, decimals: 6, baseAmount: AMOUNT };
      const { type } = await wallet.chains.verdict(await wallet.owe(refund));
      expect(type).toBe("transfer.confirmed");
      expect((await readToken(BUYER)) - before).toBe(AMOUNT);
      expect(await read(wallet, "select payment_ids from intents where kind = 'sweep'")).toEqual([
        { payment_ids: [paymentId] },
      ]);
    });
  });

  test("is sent again with the same bytes when its block leaves the chain", async () => {
    const limit = { transactionMax: "1", dayMax: "1", sweepMin: "0.000000000000000001" };
    await withWallet(6, { limits: { native: limit }, sweepAfterMinutes: 0 }, async (wallet) => {
      const shop = "0x5555555555555555555555555555555555555552";
      await pay(wallet, shop, 700n, "native");
      await until(async () => (await readCoin(shop)) === 700n, { what: "the sweep" });
      const mined = "select mined_tx_hash, mined_block from intents where mined_block is not null";
      const [before] = await until(async () => {
        const rows = await read(wallet, mined);
        return rows.length > 0 && rows;
      });
      await chain.mineAtOnce(false);
      await chain.reorg(1);
      expect(await readCoin(shop)).toBe(0n);
      await chain.mineAtOnce(true);
      await wallet.chains.pool.query("update intents set next_at = now()");
      await until(async () => (await readCoin(shop)) === 700n, { what: "the sweep, mined again" });
      await until(
        async () => (await read(wallet, mined))[0]?.mined_tx_hash === before.mined_tx_hash,
      );
      expect(await read(wallet, "select from signed_transactions")).toHaveLength(1);
    });
  });
});
