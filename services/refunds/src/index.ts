export { type RefundsConfig, refundsConfig } from "./config.ts";
export { startRefunds } from "./start.ts";
