export {
  type Outcome,
  openCheckout,
  type PayFromWallet,
  pay,
  type SignByWallet,
  signPayer,
  watchPayment,
} from "./browser/checkout.ts";
export { findWallets, type Provider, type Wallet } from "./browser/find-wallets.ts";
export { type Follower, follow } from "./browser/follow.ts";
export {
  type PendingHash,
  readPendingHash,
  removePendingHash,
  storePendingHash,
} from "./browser/pending-hash.ts";
export { requestSignature, type Signed, type SigningStep } from "./browser/request-signature.ts";
export {
  getAccount,
  isAuthorized,
  isDeclined,
  isOnNetwork,
  type Network,
  requestTransfer,
  type Step,
  sendTransaction,
  useNetwork,
} from "./browser/request-transfer.ts";
export {
  connectServer,
  type Look,
  type PaymentAccess,
  type Server,
  type Status,
} from "./browser/server.ts";
export { submitHash } from "./browser/submit-hash.ts";
