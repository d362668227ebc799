export { type PaymentsConfig, paymentsConfig } from "./config.ts";
export { startPayments } from "./start.ts";
