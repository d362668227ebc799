// A fresh installation whose only provider is away.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { order, startTestPayments, type TestPayments, tenant } from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments({ rpcUrl: `http://127.0.0.1:${await leasePort()}` });
});
afterAll(() => payments?.stop());

test("a chain without an RPC answer does not keep the service from becoming ready", async () => {
  const { payments: listed } = await payments.client.listPayments({
    tenant,
    page: { page: 1, limit: 5 },
  });
  expect(listed).toEqual([]);
});

test("an order is neither taken nor refused while no chain is known", async () => {
  const { results } = await payments.client.batchCreatePayments({ requests: [order()] });
  expect(results[0]?.result).toMatchObject({
    case: "failure",
    value: { code: "service_unavailable" },
  });
});
