// What every story needs: a merchant with a receiver, and a shopper with a wallet.

import type { Credentials } from "@pay/standalone";
import { type Received, type Receiver, startReceiver, until } from "@pay/testing";
import { verifyWebhook } from "@pay/webhooks";
import { type Api, createApi } from "./api.ts";
import { openWallet, type Wallet } from "./wallet.ts";

export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export interface Merchant {
  api: Api;
  receiver: Receiver;
  wallet: Wallet;
  /** The first delivery of this event about this resource; its signature has been checked. */
  waitForDelivery(type: string, resourceId: string): Promise<Delivered>;
  /** Ends when the payment has the status. */
  reaches(paymentId: string, status: string): Promise<Record<string, unknown>>;
}

export interface Delivered {
  eventId: string;
  body: Record<string, unknown>;
  received: Received;
}

export interface ShopOptions {
  /** Where the receiver listens. Only this machine can reach the default. */
  host?: string;
  /** What a proxy before the product adds to every request. */
  headers?: Record<string, string>;
}

export async function openShop(
  credentials: Credentials,
  { host = "127.0.0.1", headers = {} }: ShopOptions = {},
): Promise<Merchant> {
  const api = createApi(credentials, headers);
  const receiver = await startReceiver({ plain: true, host });
  const set = await api.put("/v1/projects/me", { callbackUrl: receiver.url });
  if (set.status !== 200) throw new Error(`callbackUrl was refused: ${JSON.stringify(set.body)}`);
  return {
    api,
    receiver,
    wallet: await openWallet(credentials),
    waitForDelivery: (type, resourceId) =>
      firstDelivery(receiver, credentials.webhookSecret, type, resourceId),
    reaches: (paymentId, status) =>
      until(
        async () => {
          const { body } = await api.get(`/v1/payments/${paymentId}`);
          return body.status === status && body;
        },
        { what: `payment ${status}` },
      ),
  };
}

export async function createPayment(
  api: Api,
  change: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const body = {
    amount: "1.5",
    chainId: api.credentials.chainId,
    currency: "native",
    recipientAddress: RECIPIENT,
    ...change,
  };
  const created = await api.post("/v1/payments", body, headers);
  if (created.status !== 201) {
    throw new Error(`a payment was refused: ${created.status} ${JSON.stringify(created.body)}`);
  }
  return created.body;
}

async function firstDelivery(
  receiver: Receiver,
  secret: string,
  type: string,
  resourceId: string,
): Promise<Delivered> {
  const received = await receiver.next(
    ({ headers, body }) =>
      headers["x-service-event"] === type && JSON.parse(body.toString()).id === resourceId,
  );
  if (!verifyWebhook(secret, received.headers, received.body)) {
    throw new Error(`a delivery of ${type} has no valid signature`);
  }
  return {
    eventId: received.headers["x-service-event-id"] ?? "",
    body: JSON.parse(received.body.toString()),
    received,
  };
}
