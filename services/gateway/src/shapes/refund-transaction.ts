import type { Refund } from "@pay/proto";

/** transfer(address,uint256) of ERC-20. */
const TRANSFER = "0xa9059cbb";

export interface UnsignedTransaction {
  chainId: number;
  from: string;
  to: string;
  /** Hex, as wallets take it. */
  value: string;
  data: string;
}

const word = (hex: string): string => hex.padStart(64, "0");

/** What the merchant's wallet has to sign and send for the refund to be completed. */
export const refundTransaction = (
  refund: Pick<
    Refund,
    "chainId" | "currency" | "baseAmount" | "sourceAddress" | "destinationAddress"
  >,
): UnsignedTransaction => {
  const { chainId, currency, baseAmount, sourceAddress: from, destinationAddress: to } = refund;
  const units = BigInt(baseAmount).toString(16);
  const sent = { chainId: Number(chainId), from };
  if (currency === "native") return { ...sent, to, value: `0x${units}`, data: "0x" };
  const data = TRANSFER + word(to.slice(2).toLowerCase()) + word(units);
  return { ...sent, to: currency, value: "0x0", data };
};
