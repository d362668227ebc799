// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface BalanceList {
  /** Items of this page. */
  data: Array<BalanceItem>;
}

export interface BalanceItem {
  /** Chain id. */
  chainId: number;
  /** Your wallet, which receives the money. */
  walletAddress: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** What the wallet holds as of `blockNumber`; null until the chain was read for it. */
  balance: string | null;
  /** Final block of the balance; null without one. */
  blockNumber: number | null;
  /** What is at deposit addresses, on its way to the wallet; null until the chain was read for it. */
  unswept: string | null;
  /** Proven payments without refunds and settlements: what can be settled, once `unswept` is in the wallet. */
  available: string;
}
