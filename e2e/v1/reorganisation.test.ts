// A confirmed payment whose block leaves the chain, as the merchant sees it: by webhooks, by reading, and in the
// timeline.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { reorganise } from "../harness/reorganise.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  orderOn,
  type Product,
  startProduct,
} from "./product.ts";

describeWithProduct("a reorganisation of the chain", () => {
  let product: Product;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver({ plain: true });
    product = await startProduct();
  });
  afterAll(async () => {
    await receiver?.stop();
    await product?.stop();
  });

  test("takes a confirmation back, and confirms again when the transaction is mined again", async () => {
    const { chainRpcUrl, chainId, secretKey } = product.credentials;
    const as = askWith(product.ask, secretKey);
    function node(method: string, params: unknown[] = []) {
      return callNode(chainRpcUrl, method, params);
    }

    const events = ["payment.processing", "payment.confirmed", "payment.failed"];
    const endpoint = await as("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/`, events });
    expect(endpoint.status).toBe(201);
    const recipientAddress = `0x${"ab".repeat(20)}`;
    const order = { ...orderOn(chainId), recipientAddress };
    const { id } = (await as("POST", "/v1/payments", order)).body;

    // By their ids, because a webhook may come twice.
    function arrived(count: number) {
      return until(
        () => {
          const events = new Map(
            receiver.all
              .filter(({ body }) => JSON.parse(body.toString()).id === id)
              .map((webhook) => [webhook.headers["x-service-event-id"], webhook]),
          );
          const bodies = [...events.values()]
            .toSorted((a, b) => readSequence(a) - readSequence(b))
            .map(({ body }) => JSON.parse(body.toString()));
          return bodies.length >= count && bodies;
        },
        { what: `${count} webhooks` },
      );
    }

    function readSequence({ headers }: Receiver["all"][number]) {
      return Number(headers["x-service-sequence"]);
    }

    const [from] = (await node("eth_accounts")) as string[];
    const value = `0x${((COIN_UNIT * 3n) / 2n).toString(16)}`;
    const payment = { from, to: recipientAddress, value };
    const txHash = (await node("eth_sendTransaction", [payment])) as string;
    await as("POST", `/v1/payments/${id}/transaction`, { txHash });
    await arrived(2);
    const mineAgain = await reorganise(chainRpcUrl, txHash);
    await arrived(3);
    const { body: unconfirmed } = await as("GET", `/v1/payments/${id}`);
    expect(unconfirmed).toMatchObject({ status: "processing", txHash, blockNumber: null });
    expect(unconfirmed).not.toHaveProperty("confirmedAt");

    await mineAgain();
    const bodies = await arrived(4);
    const receipt = (await node("eth_getTransactionReceipt", [txHash])) as { blockNumber: string };
    const mined = Number(receipt.blockNumber);
    expect(bodies.map(({ status }) => status)).toEqual([
      "processing",
      "confirmed",
      "processing",
      "confirmed",
    ]);
    expect(bodies.map(({ blockNumber }) => blockNumber).slice(2)).toEqual([null, mined]);
    const { body: read } = await as("GET", `/v1/payments/${id}?expand=timeline`);
    expect(read).toMatchObject({ status: "confirmed", blockNumber: mined });
    expect(read.timeline.map(({ event }: { event: string }) => event)).toEqual([
      "created",
      "transaction_submitted",
      "confirmed",
      "transaction_reorged",
      "confirmed",
    ]);
  });
});
