// From a payment to a treasury: paid, refunded in two parts, and what another payment brought settled by two keys. The
// merchant's wallet sends what goes out, or the service signs for it.
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
  reaches(path: string, status: string): Promise<unknown>;
  /** Mines until the books of all that has happened can be read. */
  passTime(): Promise<unknown>;
}

export interface LifeOptions {
  /** Of a wallet that no other story sends from. */
  account: number;
  mode: "live" | "test";
  secretKey: string;
  isServiceSigned: boolean;
}

export async function startWholeLife(shop: Merchant, options: LifeOptions): Promise<WholeLife> {
  const { account, mode, secretKey, isServiceSigned } = options;
  const { credentials } = shop.api;
  const { chainId, chainRpcUrl } = credentials;
  const api = shop.api.withKey(secretKey);
  const wallet = await openWallet(credentials, account);
  const treasury = (await openWallet(credentials, account + 1)).address;
  const key = await shop.api.post("/v1/projects/me/keys", {
    type: "secret",
    mode,
    scopes: ["settlements:read", "settlements:write", "settlements:approve"],
  });
  const clerk = { "X-Secret-Key": key.body.key as string };
  await api.post("/v1/settlement-destinations", { chainId, address: treasury }, clerk);

  function reaches(path: string, status: string) {
    return until(
      async () => {
        const { body } = await api.get(path);
        return body.status === status && body;
      },
      { what: `${path} ${status}` },
    );
  }

  /** Nothing where the service has sent it by itself. */
  async function sent(path: string, to: string, base: bigint): Promise<void> {
    if (isServiceSigned) return;
    const txHash = await wallet.payNative(to, base);
    await api.post(`${path}/transaction`, { txHash });
  }

  return {
    wallet,
    treasury,
    reaches,
    paid: async (amount, base) => {
      const payment = await createPayment(api, { amount, recipientAddress: wallet.address });
      const txHash = await shop.wallet.payNative(wallet.address, base);
      await api.post(`/v1/payments/${payment.id}/transaction`, { txHash });
      await reaches(`/v1/payments/${payment.id}`, "confirmed");
      return payment.id as string;
    },
    refunded: async (paymentId, amount, base) => {
      const { body } = await api.post("/v1/refunds?expand=destinationAddress", {
        paymentId,
        amount,
      });
      const path = `/v1/refunds/${body.id}`;
      await sent(path, body.destinationAddress, base);
      await reaches(path, "completed");
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
      await sent(path, treasury, base);
      await reaches(path, "completed");
      return requested.id;
    },
    passTime: () => callNode(chainRpcUrl, "anvil_mine", [`0x${BLOCKS_UNTIL_BOOKED.toString(16)}`]),
  };
}
