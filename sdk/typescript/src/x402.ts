export {
  type HonoContext,
  type NodeRequest,
  type NodeResponse,
  type PaidRoute,
  requirePayment,
} from "./x402/require-payment.ts";
export type { Price, SettledPayment } from "./x402/take-payment.ts";
