export { type ChainsConfig, chainsConfig } from "./config.ts";
export { startChains } from "./start.ts";
