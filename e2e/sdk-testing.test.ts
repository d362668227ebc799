// What the SDK gives to merchants' own tests: the real product, started and paid by a few calls.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type StartedPay, startPay } from "@pay/sdk/testing";
import { describeWithChain, describeWithPostgres, PATIENCE_MS, until } from "@pay/testing";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

describeWithPostgres("the SDK's testing entry", () => {
  describeWithChain("on the chain that it starts", () => {
    let pay: StartedPay;
    beforeAll(async () => {
      pay = await startPay({ directory: ROOT });
    });
    afterAll(() => pay?.stop());

    function create(currency: string) {
      const recipientAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
      const { client, chainId } = pay;
      return client.payments.create({ amount: "1.5", chainId, currency, recipientAddress });
    }

    async function reaches(id: string, status: string) {
      await until(
        async () => {
          await pay.mine();
          return (await pay.client.payments.get(id)).status === status;
        },
        { what: `payment ${id} to be ${status}`, timeoutMs: PATIENCE_MS },
      );
    }

    test("a payment in either currency is paid from a funded wallet", async () => {
      expect(pay.secretKey).toMatch(/^sk_test_/);
      for (const currency of ["native", pay.tokenAddress]) {
        const payment = await create(currency);
        const { payerAddress } = await pay.pay(payment);
        await reaches(payment.id, "confirmed");
        const read = await pay.client.payments.get(payment.id, { expand: ["payerAddress"] });
        expect(read.payerAddress?.toLowerCase()).toBe(payerAddress.toLowerCase());
      }
    });

    test("a payment can be paid too little", async () => {
      const payment = await create("native");
      await pay.pay(payment, { base: 10n ** 18n });
      await reaches(payment.id, "failed");
    });

    test("a wallet has what it was given", async () => {
      const wallet = `0x${"ab".repeat(20)}`;
      await pay.fund(wallet, 5n);
      await pay.fund(wallet, 7n, { token: true });
      expect(await balances(wallet)).toEqual([5n, 7n]);
    });

    async function balances(wallet: string): Promise<bigint[]> {
      const data = `0x70a08231${wallet.slice(2).padStart(64, "0")}`;
      const call = { to: pay.tokenAddress, data };
      return Promise.all([
        pay.askChain("eth_getBalance", [wallet, "latest"]),
        pay.askChain("eth_call", [call, "latest"]),
      ]).then((texts) => texts.map((text) => BigInt(text as string)));
    }
  });
});
