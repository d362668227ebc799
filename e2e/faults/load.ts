// Five creations and reads a second with keys; every few seconds a wrong key, a repeated creation, a customer and a
// payment that is paid. It goes on whatever is answered.
import { createPayment, type Merchant, RECIPIENT } from "../harness/merchant.ts";

const EVERY_MS = 200;
const PAID_EVERY = 15;
/** Beyond it a request is not sent: everything is frozen. */
const UNDER_WAY_MAX = 100;

export function startLoad(shop: Merchant): () => Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  let sent = 0;

  async function create(number: number) {
    const key = { "Idempotency-Key": `load-${process.pid}-${number}` };
    // Amounts differ, so that a transfer belongs to one payment.
    const units = BigInt(1_000_000 + number) * 10n ** 10n;
    const amount = { amount: `0.0${1_000_000 + number}` };
    const payment = await createPayment(shop.api, amount, key);
    await shop.api.get(`/v1/payments/${payment.id}`);
    if (number % PAID_EVERY !== 0) return;
    await shop.api.withKey("sk_live_wrong").get("/v1/payments");
    await createPayment(shop.api, amount, key);
    const walletAddress = `0x${(number + 1).toString(16).padStart(40, "0")}`;
    await shop.api.post("/v1/customers", { walletAddress }, key);
    const txHash = await shop.wallet.payNative(RECIPIENT, units);
    await shop.api.post(`/v1/payments/${payment.id}/transaction`, { txHash });
  }

  const timer = setInterval(() => {
    if (underWay.size >= UNDER_WAY_MAX) return;
    const one: Promise<unknown> = create(sent++)
      .catch(() => {})
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(underWay);
  };
}
