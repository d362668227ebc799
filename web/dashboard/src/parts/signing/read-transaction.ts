// What a transaction does, read from its own bytes: a person signs these and not what the service says about them.
import { toDecimal } from "../../amounts.ts";

export interface Unsigned {
  chainId: number;
  from: string;
  to: string;
  value: string;
  data: string;
}

export interface Transfer {
  /** "native" or the contract of the token. */
  currency: string;
  to: string;
  baseAmount: bigint;
}

/** The call `transfer(address,uint256)`: its selector, 12 empty bytes and an address, an amount. */
const TOKEN_TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;
/** In wallets the coin of every EVM network has so many. */
export const COIN_DECIMALS = 18;

/** Undefined where it is anything else than one transfer. */
export function readTransaction({ to, value, data }: Unsigned): Transfer | undefined {
  const coins = BigInt(value);
  if (data === "0x") return { currency: "native", to: to.toLowerCase(), baseAmount: coins };
  const [, recipient, units] = TOKEN_TRANSFER.exec(data.toLowerCase()) ?? [];
  if (recipient === undefined || coins !== 0n) return undefined;
  return { currency: to.toLowerCase(), to: `0x${recipient}`, baseAmount: BigInt(`0x${units}`) };
}

export function readAmount({ baseAmount }: Transfer, decimals: number): string {
  return toDecimal(baseAmount, decimals);
}
