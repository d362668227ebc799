// Documented fields of what is known of chains and wallets.
export const HEALTH = [
  "chainId",
  "name",
  "headBlock",
  "followedBlock",
  "secondsBehind",
  "upToDate",
  "finality",
  "confirmations",
  "providers",
  "watchedAddresses",
  "tokens",
];

export const BALANCE = [
  "chainId",
  "walletAddress",
  "currency",
  "balance",
  "blockNumber",
  "unswept",
  "available",
];
