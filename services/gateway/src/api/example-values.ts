// Values of the examples in the documentation, which show one shop and one customer.
import type { IdPrefix } from "@pay/values";

export const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
export const TREASURY = "0xde709f2102306220921060314715629080e2fb77";
export const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
export const TX_HASH = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b";
export const IDS = {
  pay: "pay_4mYb1fJtQv8sN2xKcW7hRz9L",
  cust: "cust_7hRz9L4mYb1fJtQv8sN2xKcW",
  refund: "refund_sN2xKcW7hRz9L4mYb1fJtQv8",
  stl: "stl_K2xKcW7hRz9L4mYb1fJtQv8s",
  dst: "dst_9L4mYb1fJtQv8sN2xKcW7hRz",
  proj: "proj_Qv8sN2xKcW7hRz9L4mYb1fJt",
  key: "key_fJtQv8sN2xKcW7hRz9L4mYb1",
  evt: "evt_xKcW7hRz9L4mYb1fJtQv8sN2",
  we: "we_1fJtQv8sN2xKcW7hRz9L4mYb",
  del: "del_8sN2xKcW7hRz9L4mYb1fJtQv",
  tr: "tr_9L4mYb1fJtQv8sN2xKcW7hRz",
  book: "book_4L9mYb1fJtQv8sN2xKcW7hRz",
  mem: "mem_2xKcW7hRz9L4mYb1fJtQv8sN",
  aud: "aud_cW7hRz9L4mYb1fJtQv8sN2xK",
  log: "log_W7hRz9L4mYb1fJtQv8sN2xKc",
  auth: "auth_7hRz9L4mYb1fJtQv8sN2xKcW",
} satisfies Partial<Record<IdPrefix, string>>;
export const PAY_ID = IDS.pay;
export const EVENT_ID = IDS.evt;
export const KEY_ID = IDS.key;
export const CLIENT_SECRET = "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb";
export const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
export const CREATED_AT = "2026-01-31T12:00:00.000Z";
export const EXPIRES_AT = "2026-01-31T12:30:00.000Z";
/** Calls the token's transfer with 12.5 to the address. */
export const TRANSFER_DATA = `0xa9059cbb${ADDRESS.slice(2).toLowerCase().padStart(64, "0")}${"bebc20".padStart(64, "0")}`;

/** The body of a webhook. */
export const EVENT_BODY = JSON.stringify({
  id: PAY_ID,
  status: "confirmed",
  txHash: TX_HASH,
  blockNumber: 19_000_000,
  amount: "12500000",
  currency: TOKEN,
  orderId: null,
  chainId: 1,
});
