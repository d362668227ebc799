// Payers sign for a transfer, and a wallet of the operator sends it, on a real chain.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type TestChain, testChain, until } from "@pay/testing";
import { toAuthorizationNonce, toReference } from "@pay/values";
import { Wallet } from "ethers";
import { describeChains, newWallet } from "./chains.ts";
import { type Change, createPayer, type Payer, type SignedTransfer, TENANT } from "./payers.ts";
import { type KeyFiles, keyFiles, type PayingWallet, startPayingWallet } from "./paying-wallet.ts";

const AMOUNT = 5_000_000n;
const SPONSOR = { gasPerDay: "1", gasPerProjectDay: "0.5" };

describeChains("an authorization of a payer", () => {
  let chain: TestChain;
  let files: KeyFiles;
  let service: PayingWallet;
  let payer: Payer;
  let shop = "";
  beforeAll(async () => {
    chain = await testChain();
    files = await keyFiles();
    service = await startPayingWallet({ chain, files, signer: { sponsor: SPONSOR } });
  });
  beforeEach(async () => {
    shop = newWallet();
    payer = createPayer(chain, Wallet.createRandom());
    await chain.payToken({ to: payer.address, value: 2n * AMOUNT });
  });
  afterAll(async () => {
    await service?.stop();
    await chain?.stop();
    files?.remove();
  });

  async function open(): Promise<string> {
    const order = { recipientAddress: shop, currency: chain.token.address };
    const id = await service.chains.open({ ...order, baseAmount: `${AMOUNT}` });
    await service.chains.watched(id);
    return id;
  }

  function sign(paymentId: string, change: Change = {}) {
    return payer.sign({ paymentId, shop, amount: AMOUNT }, change);
  }

  function submit({ data: _, ...request }: SignedTransfer) {
    return service.chains.client.submitAuthorization(request);
  }

  async function untilState(paymentId: string, state: string) {
    return until(
      async () => {
        const found = await service.chains.client.getAuthorization({ tenant: TENANT, paymentId });
        return found.authorization?.state === state && found;
      },
      { what: `an authorization that is ${state}` },
    );
  }

  async function decided(paymentId: string) {
    const { rows } = await service.chains.pool.query(
      "select rule from attributions where payment_id = $1",
      [paymentId],
    );
    return rows.map(({ rule }) => rule);
  }

  test("is sent for its payment, although the payer has no gas and others are due as much", async () => {
    const [id, other] = [await open(), await open()];
    const request = await sign(id);
    const { authorization } = await submit(request);
    expect(authorization).toMatchObject({ payer: payer.address, nonce: request.nonce });
    await service.chains.paid(id, AMOUNT);
    await untilState(id, "used");
    expect([await decided(id), await decided(other)]).toEqual([["authorization"], []]);
    const again = await submit({ ...request, isDue: false });
    expect(again.authorization).toMatchObject({ state: "used", txHash: authorization?.txHash });
    await expect(submit({ ...(await sign(other)), isDue: false })).rejects.toMatchObject({
      errorCode: "payment_status_invalid",
    });
  });

  test("pays its payment, whoever sends it", async () => {
    const [id] = [await open(), await open()];
    const request = await sign(id);
    await payer.send(request);
    await service.chains.paid(id, AMOUNT);
    expect(await decided(id)).toEqual(["authorization"]);
  });

  test("counts for nothing where the token refuses it", async () => {
    const id = await open();
    const right = await sign(id);
    const stranger = Wallet.createRandom();
    for (const [refusal, wrong] of [
      ["funds", await sign(id, { baseAmount: `${3n * AMOUNT}` })],
      ["other", await sign(id, { validBefore: 1n })],
      ["signature", { ...right, signature: await stranger.signMessage("another text") }],
      ["signature", { ...right, signature: "0x1234" }],
    ] as const) {
      expect(await submit(wrong)).toMatchObject({ refusal });
    }
    await submit(right);
    await service.chains.paid(id, AMOUNT);
  });

  test("of a listed wallet is refused once it is known to be its own, and nothing is sent", async () => {
    await service.chains.screen({ list: [payer.address] });
    const id = await open();
    const request = await sign(id);
    const forged = { ...request, signature: await Wallet.createRandom().signMessage("a text") };
    expect((await submit(forged)).refusal).toBe("signature");
    const screened = { errorCode: "payer_screened" };
    await expect(submit(request)).rejects.toMatchObject(screened);
    expect(await service.chains.client.getAuthorization({ tenant: TENANT, paymentId: id })).toEqual(
      expect.not.objectContaining({ authorization: expect.anything() }),
    );
    const { needs, screened: named } = await service.chains.money(id);
    expect([needs, named]).toMatchObject([
      "review",
      [{ address: payer.address.toLowerCase(), cause: "list" }],
    ]);
    await service.chains.screen(undefined);
    await expect(submit(request)).rejects.toMatchObject(screened);
  });

  test("is the only one of its payment until it is settled", async () => {
    await chain.mineAtOnce(false);
    const id = await open();
    const first = await sign(id);
    const { authorization } = await submit(first);
    expect(authorization?.state).toBe("sent");
    const second = await sign(id, { nonce: toAuthorizationNonce(toReference(id), 1) });
    await expect(submit(second)).rejects.toMatchObject({ errorCode: "authorization_pending" });
    expect((await submit(first)).authorization).toMatchObject({ txHash: authorization?.txHash });
    await chain.mineAtOnce(true);
    await chain.mine();
    await service.chains.paid(id, AMOUNT);
  });

  test("of a nonce that names nothing is for its payment only where the service has sent it", async () => {
    const nonce = () => `0x${randomBytes(32).toString("hex")}`;
    const [id, other] = [await open(), await open()];
    const own = await sign(id, { nonce: nonce(), namesPayment: false });
    await submit(own);
    await service.chains.paid(id, AMOUNT);
    // Before the payments service knows: another nonce would pay a second time.
    const second = await sign(id, { nonce: nonce(), namesPayment: false });
    await expect(submit(second)).rejects.toMatchObject({ errorCode: "authorization_pending" });
    expect([await decided(id), await decided(other)]).toEqual([["authorization"], []]);
    // A thief has seen what somebody else is about to send, and submits it for his own payment.
    const [thief, bystander] = [await open(), await open()];
    const seen = await sign(thief, { nonce: nonce(), namesPayment: false });
    await chain.mineAtOnce(false);
    await submit(seen);
    await payer.send(seen);
    await chain.mineAtOnce(true);
    await chain.mine();
    await chain.mine(70);
    expect((await untilState(thief, "used")).authorization).toMatchObject({ isLost: true });
    expect([await decided(thief), await decided(bystander)]).toEqual([[], []]);
  });

  test("that its payer cancels or spends first is known for good, and then another may be signed", async () => {
    const [id, raced] = [await open(), await open()];
    await chain.mineAtOnce(false);
    const request = await sign(id);
    await submit(request);
    const other = await sign(raced);
    await submit(other);
    // Both come into the block before the transactions of the service.
    await payer.cancel(request);
    await payer.send(other);
    await chain.mineAtOnce(true);
    await chain.mine();
    await chain.mine(70);
    expect(await untilState(id, "cancelled")).toMatchObject({ counter: 1 });
    await untilState(raced, "used");
    await service.chains.paid(raced, AMOUNT);
    const next = await sign(id, { nonce: toAuthorizationNonce(toReference(id), 1) });
    await submit(next);
    await service.chains.paid(id, AMOUNT);
  });
});
