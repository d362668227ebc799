import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { CreatePaymentSchema } from "@pay/proto";
import { planColumns } from "./columns.ts";

test("a message gives its plain fields the names of their columns, and null where one is absent", () => {
  const request = create(CreatePaymentSchema, {
    tenant: { projectId: "proj_1", mode: 1 },
    amount: "1.5",
    chainId: 1n,
    orderId: "order-1",
  });
  const columns = planColumns(CreatePaymentSchema)(request);
  expect(columns).toMatchObject({
    request_id: "",
    variant: 0,
    amount: "1.5",
    chain_id: 1n,
    qr_mode: false,
    description: null,
    order_id: "order-1",
    expires_in_minutes: null,
  });
  expect(columns).not.toHaveProperty("tenant");
  expect(columns).not.toHaveProperty("idempotency");
});
