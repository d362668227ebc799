import type { Amount } from "./amount.ts";

/** transfer(address,uint256) of ERC-20. */
const TRANSFER = "0xa9059cbb";

/** A transfer as a wallet takes it; value and data are hex. */
export interface TransferTransaction {
  to: string;
  value: string;
  data: string;
}

function word(hex: string): string {
  return hex.padStart(64, "0");
}

export function transferTransaction(transfer: {
  /** "native" or a token's contract address. */
  currency: string;
  to: string;
  baseAmount: Amount;
}): TransferTransaction {
  const { currency, to } = transfer;
  const units = transfer.baseAmount.toString(16);
  if (currency === "native") return { to, value: `0x${units}`, data: "0x" };
  const data = TRANSFER + word(to.slice(2).toLowerCase()) + word(units);
  return { to: currency, value: "0x0", data };
}
