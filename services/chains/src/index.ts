export { type ChainsConfig, chainsConfig } from "./config.ts";
export { developmentKeystore } from "./payouts/keystore.ts";
export { startChains } from "./start.ts";
