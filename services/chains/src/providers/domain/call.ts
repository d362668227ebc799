// The call of a transaction, as far as it may name a payment. A provider can hide a name, and cannot invent one: the
// hash that is made of the fields must be that of the transaction. The calls that a contract wallet makes inside it are
// in a trace.
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
  return call !== null && isMoving(call, transfer) ? parseName(call, transfer) : undefined;
}

interface Frame extends Pick<Call, "from" | "value" | "input"> {
  type: string;
  to: Address | undefined;
  failed: boolean;
  calls: readonly Frame[];
}

/**
 * The same for the calls inside a transaction, for transfers in the order in which they happened. Where a wallet moves
 * something to the same recipient several times, each call is for the transfer in its place.
 */
export function readInnerNames<T extends Transfer>(
  root: Frame,
  transfers: readonly T[],
): Map<T, PaymentReference> {
  const frames = listCalls(root);
  const names = new Map<T, PaymentReference>();
  for (const transfer of transfers) {
    const moving = frames.filter((frame) => isMoving(frame, transfer));
    const alike = transfers.filter((other) => moving.some((frame) => isMoving(frame, other)));
    const frame = moving.length === alike.length ? moving[alike.indexOf(transfer)] : undefined;
    const name = frame && parseName(frame, transfer);
    if (name !== undefined) names.set(transfer, name);
  }
  return names;
}

/** Those that a wallet makes as itself. A delegated call runs other code in the name of its caller. */
function listCalls(frame: Frame): Frame[] {
  if (frame.failed) return [];
  const inner = frame.calls.flatMap(listCalls);
  return frame.type === "CALL" ? [frame, ...inner] : inner;
}

type Moving = Pick<Frame, "from" | "to" | "value" | "input">;

function isMoving({ from, to, value, input }: Moving, transfer: Transfer): boolean {
  const { kind, sender, recipient, currency } = transfer;
  if (from !== sender) return false;
  if (kind !== "log") return to === recipient && value === transfer.value;
  const beginning = TRANSFER + recipient.slice(2).padStart(WORD_DIGITS, "0");
  return to === currency && input.startsWith(beginning);
}

function parseName({ input }: Moving, { kind }: Transfer): PaymentReference | undefined {
  return parseReference(kind === "log" ? input.slice(BEHIND_ARGUMENTS) : input);
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
