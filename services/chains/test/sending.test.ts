// Refunds and settlements that the service signs and sends itself, on a real chain.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { type TestChain, testChain, until } from "@pay/testing";
import { describeChains, PROJECT } from "./chains.ts";
import {
  BUYER,
  type Due,
  type KeyFiles,
  keyFiles,
  type PayingWallet,
  startPayingWallet,
} from "./paying-wallet.ts";

describeChains("a refund that the service sends", () => {
  let chain: TestChain;
  let files: KeyFiles;
  let wallet: PayingWallet;
  beforeAll(async () => {
    chain = await testChain();
    files = await keyFiles();
    await chain.payToken({ to: files.address, value: 1_000_000_000n });
    wallet = await startPayingWallet({ chain, files });
  });
  afterAll(async () => {
    await wallet?.stop();
    await chain?.stop();
    files?.remove();
  });

  async function readBalance(account: string): Promise<bigint> {
    return BigInt((await chain.call("eth_getBalance", [account, "latest"])) as string);
  }

  test.each([
    ["refund", "native", {}],
    ["settlement", "native", { kind: "settlement" }],
    ["refund", "token", { currency: "token" }],
  ] as [string, string, Due][])(
    "a %s in %s is signed, mined once and proven",
    async (_, __, due) => {
      const currency = due.currency === "token" ? chain.token.address : "native";
      const before = await readBalance(BUYER);
      const id = await wallet.owe({ ...due, currency, baseAmount: 777n });
      const { observation, type } = await wallet.chains.verdict(id);
      expect(type).toBe("transfer.confirmed");
      expect(observation).toMatchObject({
        subjectId: id,
        receivedBaseAmount: "777",
        senderAddress: files.address,
        recipientAddress: BUYER,
        submittedTxHash: observation.txHash,
      });
      const row = await wallet.intent(id);
      expect(row).toMatchObject({ state: "signed", mined_tx_hash: observation.txHash });
      if (currency === "native") expect((await readBalance(BUYER)) - before).toBe(777n);
      await chain.mine(70);
      await wallet.chains.pool.query("update intents set next_at = now() where subject_id = $1", [
        id,
      ]);
      await wallet.intentIn(id, "completed");
    },
  );

  test("is cancelled until it is signed, and never both", async () => {
    const subject = { tenant: { projectId: PROJECT, mode: Mode.TEST }, requestId: "request-4" };
    const cancel = (subjectId: string) =>
      wallet.chains.client.cancelIntent({ ...subject, subjectId });
    expect(await cancel("re_unknown")).toMatchObject({ isKnown: false, isEnded: false });

    const held = await wallet.owe({ baseAmount: 10n ** 30n });
    await wallet.heldBecause(held, "transaction_limit");
    for (const _ of ["first", "again"]) {
      expect(await cancel(held)).toMatchObject({ isKnown: true, isEnded: true });
    }
    expect(await wallet.chains.verdict(held)).toMatchObject({
      type: "transfer.unsent",
      observation: { reason: "cancelled" },
    });

    const ids = await Promise.all(Array.from({ length: 20 }, () => wallet.owe()));
    for (const id of ids) {
      const { isEnded } = await until(async () => {
        const response = await cancel(id);
        return response.isKnown && response;
      });
      const { type } = await wallet.chains.verdict(id);
      expect(type).toBe(isEnded ? "transfer.unsent" : "transfer.confirmed");
    }
  });

  test("mined during a look is found by the next one, and not taken for another's use of its nonce", async () => {
    const account = await keyFiles(6);
    const proxy = await chain.faultProxy();
    const paying = await startPayingWallet({ chain, files: account, providers: [proxy.url] });
    await chain.mineAtOnce(false);
    const id = await paying.owe();
    const sent =
      "select tx_hash from signed_transactions where subject_id = $1 and sent_at is not null";
    const txHash = await until(
      async () => (await paying.chains.pool.query(sent, [id])).rows[0]?.tx_hash,
    );
    const count = await chain.call("eth_getTransactionCount", [account.address, "latest"]);
    // The block comes between the answers of one look: the first one with a receipt is still without it.
    let [isSeen, searches] = [false, 0];
    proxy.fail(
      { kind: "change", change: (result) => (isSeen ? result : count) },
      {
        methods: ["eth_getTransactionCount"],
        when: ([, block]) => {
          if (block !== "latest" && block !== "pending") searches++;
          return block === "latest";
        },
      },
    );
    function withoutFirst(result: unknown) {
      if (isSeen) return result;
      isSeen = result !== null;
      return null;
    }
    proxy.fail(
      { kind: "change", change: withoutFirst },
      { methods: ["eth_getTransactionReceipt"], when: ([hash]) => hash === txHash },
    );
    await chain.mine();
    expect((await paying.chains.verdict(id)).type).toBe("transfer.confirmed");
    expect([isSeen, searches]).toEqual([true, 0]);
    await chain.mineAtOnce(true);
    await paying.stop();
    account.remove();
  });

  test("goes to a wallet that has paid the payment, and to no other unless the operator says so", async () => {
    const account = await keyFiles(5);
    const limit = { transactionMax: "0.000000000001", dayMax: "0.000000000001" };
    const signer = { refundsTo: "payer", limits: { native: limit } };
    const paying = await startPayingWallet({ chain, files: account, signer });
    const [payer = ""] = chain.accounts;
    const terms = { recipientAddress: account.address, baseAmount: "5000" };
    const txHash = await chain.payNative({ to: account.address, value: 5_000n });
    const paymentId = await paying.chains.submit({ ...terms, txHash });
    await paying.chains.paid(paymentId, 5_000n);
    const stranger = await paying.owe({ paymentId, destinationAddress: BUYER });
    const other = await paying.owe({ destinationAddress: payer });
    const id = await paying.owe({ paymentId, destinationAddress: payer });
    expect((await paying.chains.verdict(id)).type).toBe("transfer.confirmed");
    for (const held of [stranger, other]) await paying.heldBecause(held, "destination");
    // A wallet whose little the merchant gives to the payment is a payer too, of that little.
    const [, , , thief = ""] = chain.accounts;
    const little = await chain.payNative({ from: thief, to: account.address, value: 1n });
    await paying.chains.submit({ ...terms, id: paymentId, txHash: little, isAssigned: true });
    await paying.chains.paid(paymentId, 5_001n);
    const much = await paying.owe({ paymentId, destinationAddress: thief });
    await paying.heldBecause(much, "destination");
    // Nor does a payer get more in parts than it gave: 1,000 of 5,000 are paid back, so one of these two is too much.
    const due = { paymentId, destinationAddress: payer };
    const halves = [
      await paying.owe({ ...due, baseAmount: 2_500n }),
      await paying.owe({ ...due, baseAmount: 2_500n }),
    ];
    await until(async () => {
      const rows = await Promise.all(halves.map((half) => paying.intent(half)));
      const isHeld = rows.some((row) => row?.held_reason === "destination");
      return isHeld && rows.some((row) => row?.state === "signed");
    });
    await paying.intentIn(await paying.owe({ ...due, baseAmount: 1_500n }), "signed");
    await paying.heldBecause(await paying.owe({ ...due, baseAmount: 1n }), "destination");
    // What an event says of the digits does not make an amount a small one.
    const huge = { paymentId, destinationAddress: payer, baseAmount: 1_000_001n, decimals: 36 };
    await paying.heldBecause(await paying.owe(huge), "transaction_limit");
    await paying.heldBecause(await paying.owe({ ...huge, baseAmount: 999_001n }), "day_limit");
    await paying.stop();
    account.remove();
  });
});
