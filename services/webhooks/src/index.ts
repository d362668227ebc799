export { type WebhooksConfig, webhooksConfig } from "./config.ts";
export { type Scheme, verifyWebhook } from "./domain/signature.ts";
export { startWebhooks, type WebhooksNeeds } from "./start.ts";
