// A new payment for tests and benches.
import { Failure } from "@pay/failures";
import { newPayment, type Order } from "./new-payment.ts";
import type { Payment } from "./payment.ts";

const GIVEN: Order["given"] = {
  variant: 1,
  amount: "1.5",
  chain_id: 1n,
  currency: "native",
  recipient_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  description: null,
  metadata_json: null,
  qr_mode: false,
  order_id: null,
  customer_id: null,
  return_url: null,
  locale: null,
  unnamed_transfers: null,
  source: null,
  requested_by: null,
  display_amount: null,
  display_currency: null,
  cancel_url: null,
  deposit_addresses: false,
};

export function samplePayment(
  now: Date,
  given: Partial<Order["given"]> = {},
  nativeDecimals = 18,
): Payment {
  const { chain_id } = { ...GIVEN, ...given };
  const terms = new Map([
    [
      chain_id,
      { isTestnet: false, nativeDecimals, tokenDecimals: new Map(), hasDepositAddresses: true },
    ],
  ]);
  const order = {
    id: "pay_000000000000000000000000",
    tenant: { projectId: "proj_1", mode: 1 },
    given: { ...GIVEN, ...given },
    lifetimeMinutes: undefined,
    secretVersion: 1,
  };
  const payment = newPayment(order, terms, now);
  if (payment instanceof Failure) throw payment;
  return payment;
}
