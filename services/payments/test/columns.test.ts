import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  describeWithPostgres,
  expectKeysOfProjects,
  expectNoDrift,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
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
  unnamed_transfers: "hold",
  source: "dashboard",
  requested_by: "mem_1",
  display_amount: "12.50",
  display_currency: "EUR",
  cancel_url: "https://shop.example/cart",
  deposit_addresses: true,
};
const PAYER = `0x${"12".repeat(20)}`;
const SENDER = `0x${"34".repeat(20)}`;
function atMs(ms: number) {
  return new Date(NOW.getTime() + ms);
}

const LATER: Filled<Later> = {
  confirmed_at: atMs(1),
  refunded_at: atMs(2),
  reorged_at: atMs(3),
  cancelled_at: atMs(4),
  closed_at: atMs(4),
  due_at: atMs(5),
  payer_signed_at: atMs(6),
  block_number: 2n ** 53n + 1n,
  tx_hash: `0x${"ab".repeat(32)}`,
  money_tx_hash: `0x${"cd".repeat(32)}`,
  money_turn: 4,
  received_base_amount: toAmount(10n ** 77n + 1n),
  final_base_amount: toAmount(10n ** 77n),
  late_base_amount: toAmount(9n),
  late_final_base_amount: toAmount(8n),
  accepted_base_amount: toAmount(7n),
  refunded_base_amount: toAmount(6n),
  surplus_refunded_base_amount: toAmount(5n),
  reserved_base_amount: toAmount(4n),
  payer_address: PAYER,
  sender_address: SENDER,
  senders: [{ address: SENDER, base_amount: "3" }],
  hashes: [{ hash: `0x${"ef".repeat(32)}`, by_merchant: true, outcome: "reverted", at: 7 }],
  arrived: [{ base_amount: "2", at: 8, tx_hash: `0x${"01".repeat(32)}`, sender_address: PAYER }],
  screened: [{ address: SENDER, cause: "list" }],
  screened_base_amount: toAmount(3n),
  needs: "review",
  failure_code: "late",
  late_decision: "accepted",
  refund_declared: true,
  extensions: 3,
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
      status: "processing",
      expires_at: atMs(6),
    };
    await movePayments(db.pool, [{ payment: moved, steps: [], event }]);
    expect(await read(payment)).toEqual(moved);
  });
});

const HOME = "services/payments";

test("the migrations yield the schema", () => expectNoDrift(HOME));

test("its keys begin with the project", () =>
  expectKeysOfProjects(HOME, {
    handoffs: "a code of one payment that lives for minutes; its reader knows the payment",
  }));
