export { AMOUNT_PATTERN, toBaseUnits, toDecimal } from "./amount.ts";
export { type IdPrefix, isId, newId, newSecret, toBase62 } from "./ids.ts";
