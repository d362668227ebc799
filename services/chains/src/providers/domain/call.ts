// The call of a transaction, as far as it may name a payment. A provider can hide a name, and cannot invent one: the
// hash that is made of the fields must be that of the transaction.
import { type Address, type Amount, type PaymentReference, parseReference } from "@pay/values";
import type { Transfer } from "./transfer.ts";

export interface Call {
  from: Address;
  to: Address;
  value: Amount;
  /** Hex without 0x. */
  input: string;
  /** Whether its fields give the hash of its transaction. False for a type whose hash cannot be made here. */
  isProven: boolean;
}

/** transfer(address,uint256) of ERC-20. */
const TRANSFER = "a9059cbb";
const WORD_DIGITS = 64;
const BEHIND_ARGUMENTS = TRANSFER.length + 2 * WORD_DIGITS;

/**
 * The payment that the call names for a transfer. It counts only where the wallet whose money moves wrote it into the
 * call that moves it: else a stranger could put a name on another's money.
 */
export function readName(call: Call | null, transfer: Transfer): PaymentReference | undefined {
  if (call === null) return undefined;
  const { from, to, value, input } = call;
  if (from !== transfer.sender) return undefined;
  if (transfer.kind !== "log") {
    const isMoving = to === transfer.recipient && value === transfer.value;
    return isMoving ? parseReference(input) : undefined;
  }
  const recipient = input.slice(0, TRANSFER.length + WORD_DIGITS);
  const isMoving =
    to === transfer.currency &&
    recipient === TRANSFER + transfer.recipient.slice(2).padStart(WORD_DIGITS, "0");
  return isMoving ? parseReference(input.slice(BEHIND_ARGUMENTS)) : undefined;
}

/** One that proves itself, or one that two providers report alike. */
export function chooseCall(calls: readonly (Call | null)[]): Call | null {
  const told = calls.filter((call) => call !== null);
  return (
    told.find(({ isProven }) => isProven) ??
    told.find((call, at) => told.slice(at + 1).some((other) => isSame(call, other))) ??
    null
  );
}

function isSame(one: Call, other: Call): boolean {
  return (
    one.from === other.from &&
    one.to === other.to &&
    one.value === other.value &&
    one.input === other.input
  );
}
