export { type Box, createBox, type SealingKey, type SealingKeys } from "./box.ts";
export { parseSealingKeys } from "./keys.ts";
export { openWithoutContext } from "./without-context.ts";
