// The books of a wallet in one currency: its movements and balances on the chain, independent of the records.
import { type Address, type Amount, type Currency, type TxHash, toAmount } from "@pay/values";
import { NATIVE, type Transfer, type TransferKind } from "../../providers/domain/transfer.ts";

export interface Account {
  id: bigint;
  wallet: Address;
  currency: Currency;
}

export interface Movement {
  accountId: bigint;
  txHash: string;
  /** gas: what the wallet paid for its transaction. unseen: native coin that no transaction of the wallet explains. */
  kind: TransferKind | "gas" | "unseen";
  ordinal: number;
  isIn: boolean;
  value: Amount;
  blockNumber: number;
  blockTime: Date;
}

export interface Block {
  number: number;
  time: Date;
}

/** What a transfer changes in the accounts; one between two of them, or from one to itself, has both sides. */
export function listMovements(
  transfer: Transfer,
  { number, time }: Block,
  accounts: readonly Account[],
): Movement[] {
  const { txHash, kind, ordinal, value } = transfer;
  return accounts.flatMap(({ id, wallet, currency }) => {
    if (currency !== transfer.currency) return [];
    const common = { accountId: id, txHash, kind, ordinal, value, blockNumber: number };
    return [
      ...(transfer.recipient === wallet ? [{ ...common, isIn: true, blockTime: time }] : []),
      ...(transfer.sender === wallet ? [{ ...common, isIn: false, blockTime: time }] : []),
    ];
  });
}

interface Mined {
  txHash: TxHash;
  from: Address;
  gasUsed: bigint;
  gasPrice: bigint;
  /** Of a rollup. */
  dataFee: bigint;
}

/** What the sender of a transaction paid for it, whether it succeeded or not. */
export function toGasMovement(
  { txHash, from, gasUsed, gasPrice, dataFee }: Mined,
  { number, time }: Block,
  accounts: readonly Account[],
): Movement[] {
  const value = toAmount(gasUsed * gasPrice + dataFee);
  if (value === 0n) return [];
  return accounts.flatMap(({ id, wallet, currency }) =>
    currency === NATIVE && wallet === from
      ? {
          accountId: id,
          txHash,
          kind: "gas" as const,
          ordinal: 0,
          isIn: false,
          value,
          blockNumber: number,
          blockTime: time,
        }
      : [],
  );
}

/** Of the calendar, in UTC. */
export function toMonth(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** What came in without what went out: below zero where movements are missing. */
export type RunningBalance = bigint;

export function changeBy(movements: readonly Movement[]): RunningBalance {
  return movements.reduce<RunningBalance>(
    (sum, { isIn, value }) => sum + (isIn ? value : -value),
    0n,
  );
}

export interface Reckoned {
  /** What the movements lead to. */
  expected: RunningBalance;
  /** What the chain says at the same block. */
  balance: Amount;
}

export interface Residue {
  unseen: Movement | undefined;
  isDifference: boolean;
}

/**
 * What is left between movements and balance. Contracts of others may give native coin to any wallet, and no log tells
 * of it: that is a movement of its own. Whatever else is left is a difference.
 */
export function computeResidue(
  account: Account,
  { expected, balance }: Reckoned,
  { number, time }: Block,
): Residue {
  const change = balance - expected;
  if (change === 0n) return { unseen: undefined, isDifference: false };
  if (account.currency !== NATIVE) return { unseen: undefined, isDifference: true };
  const isIn = change > 0n;
  return {
    unseen: {
      accountId: account.id,
      txHash: `block ${number}`,
      kind: "unseen",
      ordinal: 0,
      isIn,
      value: toAmount(isIn ? change : -change),
      blockNumber: number,
      blockTime: time,
    },
    isDifference: !isIn,
  };
}

/** What a reading adds to the month of its account. */
export interface MonthSums {
  moved: RunningBalance;
  movements: number;
  fees: RunningBalance;
}

/** Coin that left unseen is a difference and moves nothing. */
export function sumMovements(movements: readonly Movement[]): MonthSums {
  const ofFees = movements.filter(({ kind }) => kind === "gas");
  const others = movements.filter(
    ({ kind, isIn }) => kind !== "gas" && (kind !== "unseen" || isIn),
  );
  return { moved: changeBy(others), movements: others.length, fees: -changeBy(ofFees) };
}
