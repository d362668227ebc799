export {
  type Address,
  addressIn,
  type Currency,
  checksumAddress,
  isAddress,
  parseAddress,
  toAddress,
  toCurrency,
  ZERO_ADDRESS,
} from "./address.ts";
export {
  AMOUNT_PATTERN,
  type Amount,
  sumAmounts,
  toAmount,
  toBaseUnits,
  toDecimal,
  toSignedDecimal,
  ZERO_AMOUNT,
} from "./amount.ts";
export {
  AUTHORIZATION_STATES,
  AUTHORIZATION_TYPES,
  type Authorization,
  type TokenDomain,
  toAuthorizationDomain,
  toAuthorizationNonce,
  toAuthorizedReference,
} from "./authorization.ts";
export { type ChainId, parseChainId, toChainId } from "./chain-id.ts";
export {
  DEPOSIT_FACTORY,
  DEPOSIT_FACTORY_INPUT,
  DETERMINISTIC_DEPLOYER,
  type DepositSalt,
  toDepositAddress,
  toDepositSalt,
} from "./deposit-address.ts";
export {
  derivedId,
  type IdPrefix,
  isId,
  newId,
  newSecret,
  numberedId,
  numberOfId,
  type Tenant,
  toBase62,
} from "./ids.ts";
export { NEEDS, type Needs, needsIn, UNNAMED_TRANSFERS, type UnnamedTransfers } from "./needs.ts";
export {
  type PaymentReference,
  parseReference,
  REFERENCE_KEY,
  toReference,
  toReferenceSuffix,
} from "./reference.ts";
export {
  ATTRIBUTION_RULES,
  type AttributionRule,
  EXTENSIONS_MAX,
  FINALITY_MODES,
  OUTCOMES,
  type Outcome,
  PAID,
  type Paid,
  REASONS,
  type Reason,
  RULES,
  type Rule,
  TRANSACTION_SOURCES,
  type TransactionSource,
  UNMATCHED_REASONS,
  type UnmatchedReason,
  VERDICT_STATES,
  type VerdictState,
} from "./rules.ts";
export {
  ON_FAIL,
  type OnFail,
  SCREENING_CAUSES,
  SCREENING_LIST_MAX,
  type ScreeningCause,
  type ScreeningPolicy,
} from "./screening.ts";
export { SWEEP_ITEMS_MAX, sweepTransaction } from "./sweep-transaction.ts";
export { type TransferTransaction, transferTransaction } from "./transfer-transaction.ts";
export { parseTxHash, type TxHash, toHex, toTxHash } from "./tx-hash.ts";
