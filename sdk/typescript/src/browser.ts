export {
  type Outcome,
  openCheckout,
  type PayFromWallet,
  pay,
  type SignByWallet,
  signPayer,
  watchPayment,
} from "./browser/checkout.ts";
export { findWallets, type Provider, type Wallet } from "./browser/discover.ts";
export { type Follower, follow } from "./browser/follow.ts";
export { handIn } from "./browser/hand-in.ts";
export { payWith, type Step } from "./browser/pay-with.ts";
export { forgetSent, recallSent, rememberSent, type Sent } from "./browser/remembered.ts";
export {
  connectServer,
  type Look,
  type PaymentAccess,
  type Server,
  type Status,
} from "./browser/server.ts";
export { type Signed, type SigningStep, signWith } from "./browser/sign-with.ts";
