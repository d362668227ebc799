export type {
  CustomerData,
  PaymentData,
  ProjectData,
  RefundData,
  SettlementData,
  TransferData,
  WebhookEvent,
} from "./webhooks/events.ts";
export {
  type Reason,
  type ReceivedWebhook,
  type Scheme,
  type Verification,
  type VerifyOptions,
  verifyWebhook,
} from "./webhooks/verify.ts";
