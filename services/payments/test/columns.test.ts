import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { toAmount } from "@pay/values";
import type { Order } from "../src/domain/new-payment.ts";
import type { Later, Payment } from "../src/domain/payment.ts";
import { samplePayment } from "../src/domain/sample-payment.ts";
import { toEvent } from "../src/messages.ts";
import { findPayments, insertPayments, movePayments } from "../src/storage/payments.ts";

type Filled<Row> = { [Column in keyof Row]: NonNullable<Row[Column]> };

const NOW = new Date("2026-03-01T10:20:30.456Z");
const GIVEN: Filled<Order["given"]> = {
  variant: 2,
  amount: "1.50",
  chain_id: 1n,
  currency: "native",
  recipient_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  description: "two tickets",
  metadata_json: '{"seat":"4b"}',
  qr_mode: true,
  order_id: "order-7",
  customer_id: "cust_000000000000000000000001",
  return_url: "https://shop.example/thanks",
  locale: "de",
  unsigned_claims: "first",
};
const PAYER = `0x${"12".repeat(20)}`;
const LATER: Filled<Later> = {
  confirmed_at: new Date(NOW.getTime() + 1),
  reorged_at: new Date(NOW.getTime() + 2),
  refunded_at: new Date(NOW.getTime() + 3),
  payer_declared_at: new Date(NOW.getTime() + 4),
  payer_signed_at: new Date(NOW.getTime() + 5),
  late_decision: "accepted",
  seen_sender: `0x${"34".repeat(20)}`,
  refund_declared: true,
  tx_hash: `0x${"ab".repeat(32)}`,
  block_number: 2n ** 53n + 1n,
  payer_address: PAYER,
  sender_address: PAYER,
  received_base_amount: toAmount(10n ** 77n + 1n),
  failure_code: "late",
  other_hashes: [{ hash: `0x${"cd".repeat(32)}`, by_merchant: true, verdict: "reverted" }],
  merchant_submitted: true,
  attempts: 5,
  extensions: 3,
  needs: "review",
  needs_hash: `0x${"ef".repeat(32)}`,
  needs_turn: 4,
  version: 2,
};

describeWithPostgres("the columns of a payment", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/payments");
  });
  afterAll(() => db?.drop());

  async function read({ id, project_id: projectId }: Payment) {
    return (await findPayments(db.pool, [{ tenant: { projectId, mode: Mode.LIVE }, id }]))[0];
  }

  test("are read as a creation and a move wrote them", async () => {
    const payment = samplePayment(NOW, GIVEN);
    const event = toEvent("payment.created", payment, NOW, "");
    await insertPayments(db.pool, [{ payment, event, key: undefined }]);
    expect(await read(payment)).toEqual(payment);
    const moved: Payment = {
      ...payment,
      ...LATER,
      status: "confirmed",
      expires_at: new Date(NOW.getTime() + 6),
    };
    await movePayments(db.pool, [{ payment: moved, step: undefined, event }]);
    expect(await read(payment)).toEqual(moved);
  });
});
