import type { Address, Currency } from "./address.ts";
import { DEPOSIT_FACTORY, type DepositSalt } from "./deposit-address.ts";
import type { TransferTransaction } from "./transfer-transaction.ts";

/** sweep(address,address,bytes32[]) of the factory. */
const SWEEP = "0xfb1215bd";
const HEAD_WORDS = 3;
const WORD_BYTES = 32;

/** A transaction may use 16,777,216 gas on some chains (EIP-7825). */
export const SWEEP_ITEMS_MAX = 150;

/** Never an estimate: one that is too low sweeps nothing. The factory keeps 200,000 for each item that it begins. */
const GAS_BASE = 250_000n;
const GAS_PER_ITEM = 90_000n;

/** What moves the money of deposit addresses to their recipient, whoever sends it. */
export function sweepTransaction({
  currency,
  recipient,
  salts,
}: {
  currency: Currency;
  recipient: Address;
  salts: readonly DepositSalt[];
}): TransferTransaction & { gas: bigint } {
  const head = [
    currency === "native" ? "" : currency.slice(2),
    recipient.slice(2),
    (HEAD_WORDS * WORD_BYTES).toString(16),
    salts.length.toString(16),
  ].map((digits) => digits.padStart(2 * WORD_BYTES, "0"));
  const data = SWEEP + head.join("") + salts.map((salt) => salt.slice(2)).join("");
  return {
    to: DEPOSIT_FACTORY,
    value: "0x0",
    data,
    gas: GAS_BASE + GAS_PER_ITEM * BigInt(salts.length),
  };
}
