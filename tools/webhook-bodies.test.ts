// What webhooks sends is what the gateway's document says: every event for merchants, with and without what may be
// absent.
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { PUBLIC_TYPES } from "@pay/events";
import { EventSchema } from "@pay/proto";
import { openApiDocument } from "../services/gateway/src/api/openapi/document.ts";
import { WEBHOOK_BODIES } from "../services/gateway/src/api/openapi/webhooks.ts";
import { ROUTES } from "../services/gateway/src/api/table.ts";
import { readEvent } from "../services/webhooks/src/consumers/read-event.ts";

const AT = timestampFromDate(new Date("2026-03-01T12:00:00.123Z"));
const MONEY = { baseAmount: "1500000", currency: "native", chainId: 137n };
const PROVEN = { txHash: `0x${"ab".repeat(32)}`, blockNumber: 7n };

/** The least that an event of the kind carries, and all that its body may show. */
const RESOURCES: Record<keyof typeof WEBHOOK_BODIES, readonly object[]> = {
  payment: [
    { id: "pay_1", status: "created", ...MONEY },
    { id: "pay_1", status: "confirmed", ...MONEY, ...PROVEN, orderId: "order-1" },
  ],
  refund: [
    { id: "refund_1", paymentId: "pay_1", status: "pending", ...MONEY },
    {
      id: "refund_1",
      paymentId: "pay_1",
      status: "failed",
      ...MONEY,
      ...PROVEN,
      reason: "broken",
      failureReason: "rejected",
      orderId: "order-1",
      destinationSource: "address_book",
    },
  ],
  settlement: [
    { id: "stl_1", status: "requested", ...MONEY, destinationAddress: "0x1" },
    {
      id: "stl_1",
      status: "failed",
      ...MONEY,
      ...PROVEN,
      destinationAddress: "0x1",
      failureReason: "rejected",
    },
  ],
  transfer: [
    {
      id: "tr_1",
      ...MONEY,
      ...PROVEN,
      fromAddress: "0x1",
      toAddress: "0x2",
      minedAt: AT,
      state: "seen",
      reason: "more_than_due",
    },
    {
      id: "tr_1",
      ...MONEY,
      ...PROVEN,
      logIndex: 3,
      fromAddress: "0x1",
      toAddress: "0x2",
      minedAt: AT,
      state: "final",
      reason: "several_fit",
      candidates: ["pay_1", "pay_2"],
    },
  ],
  project: [
    { id: "proj_1", name: "Mugs" },
    { id: "proj_1", name: "Mugs", changedFields: ["name", "sso"], changedBy: "key_1" },
  ],
  api_key: [
    { id: "key_1", type: "secret", keyMode: "live", createdBy: "operator", createdAt: AT },
    {
      id: "key_1",
      type: "secret",
      keyMode: "test",
      scopes: ["payments:read"],
      name: "Reports",
      prefix: "rk_test_",
      last4: "9Lzr",
      createdBy: "mem_1",
      createdAt: AT,
      expiresAt: AT,
      allowedAddresses: ["203.0.113.0/24"],
      revokedAt: AT,
    },
  ],
  customer: [
    { id: "cus_1", metadataJson: "{}", createdAt: AT, updatedAt: AT },
    {
      id: "cus_1",
      walletAddress: "0x1",
      displayName: "Ada",
      metadataJson: '{"tier":"gold"}',
      createdAt: AT,
      updatedAt: AT,
    },
  ],
};

describe.each(PUBLIC_TYPES)("%s", (type) => {
  const noun = type.split(".")[0] as keyof typeof RESOURCES;

  test.each(RESOURCES[noun])("%j", (value) => {
    const event = create(EventSchema, {
      id: "evt_1",
      projectId: "proj_1",
      type,
      occurredAt: AT,
      resource: { case: noun === "api_key" ? "apiKey" : noun, value } as never,
    });
    const body = JSON.parse(readEvent(toBinary(EventSchema, event))?.body.toString() ?? "");
    expect(WEBHOOK_BODIES[noun].parse(body)).toEqual(body);
  });
});

test("the document has a webhook for each of their nouns, which names its types", () => {
  const { webhooks } = openApiDocument(
    ROUTES.filter(({ auth }) => auth !== "none"),
    "https://pay.example",
  ) as { webhooks: Record<string, { post: { description: string } }> };
  expect(Object.keys(webhooks)).toEqual(Object.keys(WEBHOOK_BODIES));
  const types = Object.values(webhooks).flatMap(({ post }) => post.description.split(", "));
  expect(types.sort()).toEqual([...PUBLIC_TYPES].sort());
});
