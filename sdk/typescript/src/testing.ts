export { signedRequest, type WebhookToSign } from "./testing/signed-request.ts";
export { type StartedPay, type StartOptions, startPay } from "./testing/start-pay.ts";
export type { Paid, PaymentToPay, TestChain } from "./testing/test-chain.ts";
