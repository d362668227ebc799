export { type ChainsConfig, chainsConfig } from "./config.ts";
export { developmentKeystore } from "./signing/keystore.ts";
export { startChains } from "./start.ts";
