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
  expect(planColumns(CreatePaymentSchema)(request)).toEqual({
    request_id: "",
    variant: 0,
    amount: "1.5",
    chain_id: 1n,
    currency: "",
    recipient_address: "",
    description: null,
    metadata_json: null,
    qr_mode: false,
    order_id: "order-1",
    expires_in_minutes: null,
    customer_id: null,
    replay_only: false,
    return_url: null,
    locale: null,
    unsigned_claims: null,
  });
});
