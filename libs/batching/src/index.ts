export { createBatcher, REPLICATED } from "./batcher.ts";
export { firstPerKey, runAllElseOneByOne } from "./lists.ts";
