import type { Balance, SettlementWallet } from "@pay/proto";
import { checksumAddress, toAddress, toAmount, toChainId, toDecimal } from "@pay/values";
import { z } from "zod";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

/** A wallet with what the books say of it; undefined where they have not read it. */
export interface BookedWallet {
  wallet: SettlementWallet;
  balance: Balance | undefined;
}

function toWhole(base: string, { decimals }: SettlementWallet): string {
  return toDecimal(toAmount(BigInt(base)), decimals);
}

const BALANCE = {
  chainId: { schema: shown.chainId, of: ({ wallet }: BookedWallet) => toChainId(wallet.chainId) },
  walletAddress: {
    schema: shown.recipientAddress,
    of: ({ wallet }: BookedWallet) => checksumAddress(toAddress(wallet.address)),
  },
  currency: {
    schema: shown.currency,
    of: ({ wallet: { currency } }: BookedWallet) =>
      currency === "native" ? currency : checksumAddress(toAddress(currency)),
  },
  balance: {
    schema: shown.stringOrNull(
      "What the wallet holds as of `blockNumber`; null until the chain was read for it.",
      "150.5",
    ),
    of: ({ wallet, balance }: BookedWallet) =>
      balance === undefined ? null : toWhole(balance.baseAmount, wallet),
  },
  blockNumber: {
    schema: shown.integerOrNull("Final block of the balance; null without one.", 19_000_000),
    of: ({ balance }: BookedWallet) => (balance === undefined ? null : Number(balance.blockNumber)),
  },
  unswept: {
    schema: shown.stringOrNull(
      "What is at deposit addresses, on its way to the wallet; null until the chain was read for it.",
      "0",
    ),
    of: ({ wallet, balance }: BookedWallet) =>
      balance === undefined ? null : toWhole(balance.unsweptBaseAmount, wallet),
  },
  available: {
    schema: shown.string(
      "Proven payments without refunds and settlements: what can be settled, once `unswept` is in the wallet.",
      "120.5",
    ),
    of: ({ wallet }: BookedWallet) => toWhole(wallet.availableBaseAmount, wallet),
  },
};

const NAMES = listNames(BALANCE);

export const balanceList = z
  .strictObject({
    data: z.array(buildShape("BalanceItem", BALANCE, NAMES)).describe("Items of this page."),
  })
  .meta({ id: "BalanceList" });

export function renderBalance(booked: BookedWallet) {
  return pick(BALANCE, NAMES, booked);
}
