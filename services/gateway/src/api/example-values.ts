// What the examples of the documentation have in common, so that they tell of one shop and one shopper.

export const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
export const TREASURY = "0xde709f2102306220921060314715629080e2fb77";
export const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
export const TX_HASH = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b";
export const PAY_ID = "pay_4mYb1fJtQv8sN2xKcW7hRz9L";
export const EVENT_ID = "evt_xKcW7hRz9L4mYb1fJtQv8sN2";
export const KEY_ID = "key_fJtQv8sN2xKcW7hRz9L4mYb1";
export const CREATED_AT = "2026-01-31T12:00:00.000Z";

/** What the shop's receiver gets about its payment. */
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
