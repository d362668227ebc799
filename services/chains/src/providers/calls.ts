// The calls behind the questions, as JSON-RPC has them.
import type { Address, Currency, TxHash } from "@pay/values";
import type { LogQuery } from "./decode-logs.ts";
import { NATIVE } from "./domain/transfer.ts";
import type { Call } from "./endpoint.ts";

export type BlockTag = "latest" | "safe" | "finalized";

export interface Holding {
  account: Address;
  currency: Currency;
}

export function hex(number: number) {
  return `0x${number.toString(16)}`;
}

export function toWord(address: Address) {
  return `0x${"0".repeat(24)}${address.slice(2)}`;
}

export function logsCall(
  { fromBlock, toBlock, tokens }: LogQuery,
  topics: readonly unknown[],
): Call {
  const filter = { fromBlock: hex(fromBlock), toBlock: hex(toBlock), topics };
  return { method: "eth_getLogs", params: [{ ...filter, address: [...tokens] }] };
}

export function wholeCall(number: number): Call {
  return { method: "eth_getBlockByNumber", params: [hex(number), true] };
}

export function headCall(number: number): Call {
  return { method: "eth_getBlockByNumber", params: [hex(number), false] };
}

export function receiptCall(txHash: TxHash): Call {
  return { method: "eth_getTransactionReceipt", params: [txHash] };
}

export function transactionCall(txHash: TxHash): Call {
  return { method: "eth_getTransactionByHash", params: [txHash] };
}

export function place(at: number | BlockTag | "pending") {
  return typeof at === "number" ? hex(at) : at;
}

/** keccak256("balanceOf(address)"), its first four bytes. */
const BALANCE_OF = "0x70a08231";

export function holdingCall({ account, currency }: Holding, block: string): Call {
  if (currency === NATIVE) return { method: "eth_getBalance", params: [account, block] };
  const data = `${BALANCE_OF}${toWord(account).slice(2)}`;
  return { method: "eth_call", params: [{ to: currency, data }, block] };
}
