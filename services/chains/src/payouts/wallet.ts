// The state of the paying wallet at a provider, and the present price of a transaction.
import { type Address, type Amount, type Currency, toAmount } from "@pay/values";
import { Interface } from "ethers";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError } from "../providers/rpc-error.ts";
import type { Market } from "./domain/fees.ts";

export interface WalletView {
  /** Transactions it has sent, with those that wait for a block. */
  count: number;
  /** By currency, in base units. */
  balances: ReadonlyMap<Currency, Amount>;
  market: Market;
  head: number;
}

const ERC20 = new Interface(["function balanceOf(address) view returns (uint256)"]);
const PRIORITY_FEE = 1_500_000_000n;

/** Undefined where the provider does not say enough. */
export async function readWallet(
  reader: Reader,
  address: Address,
  currencies: ReadonlySet<Currency>,
): Promise<WalletView | undefined> {
  const wanted = [...new Set<Currency>([NATIVE, ...currencies])];
  const [mined, pending, market, balances] = await Promise.all([
    reader.transactionCount(address, "latest"),
    reader.transactionCount(address, "pending"),
    readMarket(reader),
    Promise.all(wanted.map((currency) => readBalance(reader, address, currency))),
  ]);
  if (market === undefined) return undefined;
  const known = wanted.flatMap((currency, at): [Currency, Amount][] => {
    const balance = balances[at];
    return balance === undefined ? [] : [[currency, balance]];
  });
  return { count: Math.max(mined, pending), balances: new Map(known), ...market };
}

export async function readMarket(
  reader: Reader,
): Promise<{ market: Market; head: number } | undefined> {
  const [block, priorityFee] = await Promise.all([
    reader.block("latest"),
    reader.priorityFee().catch((error: unknown) => {
      if (error instanceof RpcError && error.fault === "refused") return PRIORITY_FEE;
      throw error;
    }),
  ]);
  if (block === null) return undefined;
  return { head: block.number, market: { baseFee: block.baseFeePerGas ?? 0n, priorityFee } };
}

export async function readBalance(
  reader: Reader,
  address: Address,
  currency: Currency,
): Promise<Amount | undefined> {
  if (currency === NATIVE) return reader.balance(address);
  const result = await reader.view(currency, ERC20.encodeFunctionData("balanceOf", [address]));
  return /^0x[0-9a-f]{64}$/.test(result) ? toAmount(BigInt(result)) : undefined;
}
