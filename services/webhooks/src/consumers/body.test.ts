import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { type Event, EventSchema } from "@pay/proto";
import { buildBody, INCLUDED_FIELDS } from "../domain/included-fields.ts";
import { readEvent } from "./read-event.ts";
import { InvalidEventError } from "./wire-values.ts";

type Resource = { case: Event["resource"]["case"]; value?: object };

function toBytes(type: string, resource: Resource) {
  const event = {
    id: "evt_1",
    type,
    projectId: "proj_1",
    resourceId: "pay_1",
    sequence: 2,
    mode: 2,
    occurredAt: moment,
    resource,
  };
  return toBinary(EventSchema, create(EventSchema, event as never));
}

/** Only the fields of messages that bodies show. */
function render(type: string, resource: Resource) {
  return readEvent(toBytes(type, resource))?.body.toString("utf8");
}

const payment = {
  id: "pay_1",
  status: "created",
  baseAmount: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
  currency: "native",
  chainId: 1n,
};
const moment = { seconds: 1_772_366_400n, nanos: 7_000_000 };

describe("bodies", () => {
  test("absent fields of a payment are null", () => {
    expect(render("payment.created", { case: "payment", value: payment })).toBe(
      `{"id":"pay_1","status":"created","txHash":null,"blockNumber":null,"amount":"${payment.baseAmount}",` +
        `"currency":"native","orderId":null,"chainId":1}`,
    );
  });

  test("an endpoint gets the fields that it includes, with every digit of the metadata", () => {
    const metadataJson = '{"cart":17.50,"note":"a,\\"metadata\\":}"}';
    const value = { ...payment, receivedBaseAmount: "7", failureCode: "underpaid", metadataJson };
    const event = readEvent(toBytes("payment.failed", { case: "payment", value }));
    const { body = Buffer.of(), included } = event ?? {};
    const text = body.toString();
    function build(include: string[]) {
      return buildBody(body, included, include).toString();
    }

    expect(build([])).toBe(text);
    const named = `${text.slice(0, -1)},"refundedAmount":null,"metadata":${metadataJson}}`;
    expect(build(["metadata", "refundedAmount"])).toBe(named);
    expect(JSON.parse(build([...INCLUDED_FIELDS]))).toEqual({
      ...JSON.parse(text),
      receivedAmount: "7",
      refundedAmount: null,
      failureCode: "underpaid",
      metadata: JSON.parse(metadataJson),
    });
    expect(buildBody(body, null, ["metadata"])).toBe(body);
  });

  test("a body keeps no more memory than its bytes", () => {
    const event = readEvent(toBytes("payment.created", { case: "payment", value: payment }));
    expect(event?.body.buffer.byteLength).toBe(event?.body.length);
  });

  test("numbers beyond JavaScript's precision keep every digit", () => {
    const value = { ...payment, blockNumber: 9_007_199_254_740_993n };
    expect(render("payment.created", { case: "payment", value })).toContain(
      '"blockNumber":9007199254740993,',
    );
  });

  test("special characters of JSON are escaped, other text stays", () => {
    const value = { ...payment, orderId: 'a"b\\c\r\nX-Evil: 1 ü 💶' };
    const body = render("payment.created", { case: "payment", value }) ?? "";
    expect(body).toContain('"orderId":"a\\"b\\\\c\\r\\nX-Evil: 1 ü 💶"');
    expect(JSON.parse(body).orderId).toBe(value.orderId);
  });

  test("a refund", () => {
    const value = {
      id: "refund_1",
      paymentId: "pay_1",
      status: "failed",
      baseAmount: "5",
      currency: "0xAb",
      chainId: 56n,
      reason: "late",
      failureReason: "timeout",
      orderId: "o",
      destinationSource: "named",
    };
    expect(render("refund.failed", { case: "refund", value })).toBe(
      '{"id":"refund_1","paymentId":"pay_1","status":"failed","amount":"5","currency":"0xAb","chainId":56,' +
        '"txHash":null,"reason":"late","failureReason":"timeout","orderId":"o","destinationSource":"named"}',
    );
  });

  test("a settlement", () => {
    const value = {
      id: "stl_1",
      status: "completed",
      baseAmount: "5",
      currency: "native",
      chainId: 1n,
      destinationAddress: "0x1",
      txHash: "0x2",
      blockNumber: 3n,
    };
    expect(render("settlement.completed", { case: "settlement", value })).toBe(
      '{"id":"stl_1","status":"completed","amount":"5","currency":"native","chainId":1,' +
        '"destinationAddress":"0x1","txHash":"0x2","blockNumber":3,"failureReason":null}',
    );
  });

  test("an unmatched transfer names all payments that it may be meant for", () => {
    const value = {
      id: "tr_1",
      baseAmount: "5",
      currency: "0xAb",
      chainId: 56n,
      txHash: "0x2",
      logIndex: 3,
      fromAddress: "0x3",
      toAddress: "0x4",
      blockNumber: 7n,
      minedAt: moment,
      state: "seen",
      reason: "several_fit",
      candidates: ["pay_1", "pay_2"],
    };
    function show(more: object) {
      const body = render("transfer.unmatched", { case: "transfer", value: { ...value, ...more } });
      return body?.slice(body.indexOf('"logIndex"'));
    }

    expect(show({})).toBe(
      '"logIndex":3,"from":"0x3","to":"0x4","blockNumber":7,"minedAt":"2026-03-01T12:00:00.007Z",' +
        '"state":"seen","reason":"several_fit","candidates":["pay_1","pay_2"]}',
    );
    expect(show({ logIndex: undefined, candidates: [] })).toContain('"logIndex":null,');
    expect(show({ candidates: [] })).toContain('"candidates":[]}');
  });

  test("a customer has the original metadata and no email", () => {
    const value = {
      id: "cust_1",
      walletAddress: "0x1",
      metadataJson: '{"b":1.0,"a":12345678901234567890}',
      email: "a@b.example",
      createdAt: moment,
      updatedAt: moment,
    };
    expect(render("customer.updated", { case: "customer", value })).toBe(
      '{"id":"cust_1","walletAddress":"0x1","displayName":null,"metadata":{"b":1.0,"a":12345678901234567890},' +
        '"createdAt":"2026-03-01T12:00:00.007Z","updatedAt":"2026-03-01T12:00:00.007Z"}',
    );
  });
});

test("an event with the wrong resource or metadata that is not JSON is invalid", () => {
  expect(() => render("refund.created", { case: "payment", value: payment })).toThrow(
    InvalidEventError,
  );
  expect(() => render("payment.created", { case: undefined })).toThrow(InvalidEventError);
  const value = { id: "cust_1", walletAddress: "0x1", metadataJson: '{"a":1},"evil":2' };
  expect(() => render("customer.created", { case: "customer", value })).toThrow(InvalidEventError);
});
