// A shop before the product: it makes payments and learns what became of them.
import { randomBytes } from "node:crypto";
import { until } from "@pay/testing";
import { keyHeader, type Product } from "../v1/product.ts";

export interface Order {
  id: string;
  clientSecret: string;
  checkoutUrl: string;
  recipientAddress: string;
}

export interface Shop {
  create(more?: object): Promise<Order>;
  /** Names the payer, as a page of the shop does; the status number of the answer. */
  declare(order: Order, payer: object): Promise<number>;
  /** The text that the shopper's wallet is to sign. */
  readMessage(order: Order): Promise<string>;
  /** Ends when the shopper's page would see that the payment needs this. */
  needs(order: Order, what: string): Promise<unknown>;
  /** The payment once it has the status. */
  reaches(order: Order, status: string): Promise<Record<string, unknown>>;
}

export function openShop({ credentials, askOnly }: Product): Shop {
  const headers = keyHeader(credentials.secretKey);
  async function readStatus({ id, clientSecret }: Order) {
    const asked = { headers: { "x-client-secret": clientSecret } };
    return (await askOnly("GET", `/v1/payments/${id}/status`, asked)).body;
  }

  return {
    create: async (more = {}) => {
      const { chainId } = credentials;
      // An address of its own: orders of one test do not compete with what another test has left open.
      const recipientAddress = `0x${randomBytes(20).toString("hex")}`;
      const order = { amount: "1.5", chainId, currency: "native", recipientAddress };
      const { status, text, body } = await askOnly("POST", "/v1/payments?expand=checkoutUrl", {
        headers,
        body: { ...order, description: "Two mugs", ...more },
      });
      if (status !== 201) throw new Error(`no payment: ${status} ${text}`);
      return body;
    },
    declare: async ({ id, clientSecret }, payer) => {
      const { status } = await askOnly("POST", `/v1/payments/${id}/payer`, {
        headers: keyHeader(credentials.publishableKey),
        body: { clientSecret, ...payer },
      });
      return status;
    },
    readMessage: async (order) => (await readStatus(order)).payerMessage,
    needs: (order, what) =>
      until(async () => (await readStatus(order)).needs === what, {
        what: `the payment to need ${what}`,
      }),
    reaches: ({ id }, status) =>
      until(
        async () => {
          const path = `/v1/payments/${id}?expand=receivedAmount,failureCode,payerAddress`;
          const { body } = await askOnly("GET", path, { headers });
          return body.status === status && body;
        },
        { what: `the payment to be ${status}` },
      ),
  };
}
