export { checksumAddress, isAddress, ZERO_ADDRESS } from "./address.ts";
export { AMOUNT_PATTERN, toBaseUnits, toDecimal } from "./amount.ts";
export { derivedId, type IdPrefix, isId, newId, newSecret, toBase62 } from "./ids.ts";
