export {
  type Address,
  addressIn,
  addressOf,
  type Currency,
  checksumAddress,
  currencyOf,
  isAddress,
  parseAddress,
  ZERO_ADDRESS,
} from "./address.ts";
export {
  AMOUNT_PATTERN,
  type Amount,
  amountOf,
  sumOf,
  toBaseUnits,
  toDecimal,
  ZERO_AMOUNT,
} from "./amount.ts";
export { type ChainId, chainIdOf, parseChainId } from "./chain-id.ts";
export { EXTENSIONS_MAX } from "./extensions.ts";
export { hexOf } from "./hex.ts";
export {
  derivedId,
  type IdPrefix,
  isId,
  newId,
  newSecret,
  numberedId,
  numberOfId,
  toBase62,
} from "./ids.ts";
export { NEEDS, type Needs, needsIn, UNSIGNED_CLAIMS, type UnsignedClaims } from "./needs.ts";
export { OUTCOMES, type Outcome, REASONS, type Reason, RULES, type Rule } from "./rules.ts";
export { type TransferTransaction, transferTransaction } from "./transfer-transaction.ts";
export { parseTxHash, type TxHash, txHashOf } from "./tx-hash.ts";
