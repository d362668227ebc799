export { createBatcher, REPLICATED } from "./batcher.ts";
export { firstPerKey } from "./first-per-key.ts";
export { runAllElseOneByOne } from "./one-by-one.ts";
