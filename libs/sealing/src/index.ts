export {
  type Box,
  createBox,
  openWithoutContext,
  parseSealingKeys,
  type SealingKey,
  type SealingKeys,
} from "./box.ts";
