// From a payment to a treasury: paid, refunded in two parts, and what another payment brought settled by two keys.
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";
import { createPayment, type Merchant } from "./merchant.ts";
import { openWallet, type Wallet } from "./wallet.ts";

/** Far below the head a block is final, and the books are a minute behind that. */
const BLOCKS_UNTIL_BOOKED = 200;

export interface WholeLife {
  /** The merchant's own. */
  wallet: Wallet;
  treasury: string;
  paid(amount: string, base: bigint): Promise<string>;
  refunded(paymentId: string, amount: string | undefined, base: bigint): Promise<string>;
  settled(amount: string, base: bigint): Promise<string>;
  /** Mines until the books of all that has happened can be read. */
  passTime(): Promise<unknown>;
}

/** With a wallet that no other story uses. */
export async function startWholeLife(shop: Merchant, account: number): Promise<WholeLife> {
  const { api } = shop;
  const { credentials } = api;
  const { chainId, chainRpcUrl } = credentials;
  const wallet = await openWallet(credentials, account);
  const treasury = (await openWallet(credentials, account + 1)).address;
  const key = await api.post("/v1/projects/me/keys", {
    ...{ type: "secret", mode: "live", scopes: ["settlements:read", "settlements:write"] },
  });
  const clerk = { "X-Secret-Key": key.body.key as string };
  await api.post("/v1/settlement-destinations", { chainId, address: treasury });

  function reaches(path: string, status: string) {
    return until(
      async () => {
        const { body } = await api.get(path);
        return body.status === status && body;
      },
      { what: `${path} ${status}` },
    );
  }

  return {
    ...{ wallet, treasury },
    paid: async (amount, base) => {
      const payment = await createPayment(api, { amount, recipientAddress: wallet.address });
      const txHash = await shop.wallet.payNative(wallet.address, base);
      await api.post(`/v1/payments/${payment.id}/transaction`, { txHash });
      await shop.reaches(payment.id as string, "confirmed");
      return payment.id as string;
    },
    refunded: async (paymentId, amount, base) => {
      const { body } = await api.post("/v1/refunds?expand=destinationAddress", {
        paymentId,
        amount,
      });
      const txHash = await wallet.payNative(body.destinationAddress, base);
      await api.post(`/v1/refunds/${body.id}/transaction`, { txHash });
      await reaches(`/v1/refunds/${body.id}`, "completed");
      return body.id;
    },
    settled: async (amount, base) => {
      const order = { amount, chainId, currency: "native", sourceAddress: wallet.address };
      // The credit of a payment arrives with its event.
      const requested = await until(
        async () => {
          const to = { ...order, destinationAddress: treasury };
          const answer = await api.post("/v1/settlements", to, clerk);
          return answer.status === 201 && answer.body;
        },
        { what: "the credit of the wallet" },
      );
      const path = `/v1/settlements/${requested.id}`;
      await api.post(`${path}/approve`, {});
      const txHash = await wallet.payNative(treasury, base);
      await api.post(`${path}/transaction`, { txHash });
      await reaches(path, "completed");
      return requested.id;
    },
    passTime: () => callNode(chainRpcUrl, "anvil_mine", [`0x${BLOCKS_UNTIL_BOOKED.toString(16)}`]),
  };
}
