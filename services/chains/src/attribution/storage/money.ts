// The money of a payment as it is stored: amounts as text.
import { type Address, type Needs, type ScreeningCause, type TxHash, toAmount } from "@pay/values";
import type { Money, Outcome } from "../domain/money.ts";

export interface StoredMoney {
  seen: string;
  final: string;
  late: string;
  lateFinal: string;
  last: { txHash: TxHash; blockNumber: number; blockTime: string } | null;
  senders: { address: Address; value: string }[];
  hashes: {
    txHash: TxHash;
    outcome: Outcome | null;
    isMined: boolean;
    replacedBy: TxHash | null;
  }[];
  needs: Needs | null;
  arrived: { txHash: TxHash; sender: Address; value: string; arrivedAt: string }[];
  screened: { address: Address; cause: ScreeningCause }[];
  screenedFinal: string;
}

export function toStoredMoney(money: Money): StoredMoney {
  const { seen, final, late, lateFinal, last, senders, hashes, needs, arrived } = money;
  return {
    seen: `${seen}`,
    final: `${final}`,
    late: `${late}`,
    lateFinal: `${lateFinal}`,
    last: last === undefined ? null : { ...last, blockTime: last.blockTime.toISOString() },
    senders: senders.map(({ address, value }) => ({ address, value: `${value}` })),
    hashes: hashes.map(({ outcome, replacedBy, ...hash }) => ({
      ...hash,
      outcome: outcome ?? null,
      replacedBy: replacedBy ?? null,
    })),
    needs: needs ?? null,
    arrived: arrived.map(({ value, arrivedAt, ...one }) => ({
      ...one,
      value: `${value}`,
      arrivedAt: arrivedAt.toISOString(),
    })),
    screened: money.screened,
    screenedFinal: `${money.screenedFinal}`,
  };
}

export function toMoney(stored: StoredMoney): Money {
  const { last, senders, hashes, needs, arrived } = stored;
  return {
    seen: toAmount(BigInt(stored.seen)),
    final: toAmount(BigInt(stored.final)),
    late: toAmount(BigInt(stored.late)),
    lateFinal: toAmount(BigInt(stored.lateFinal)),
    last: last === null ? undefined : { ...last, blockTime: new Date(last.blockTime) },
    senders: senders.map(({ address, value }) => ({ address, value: toAmount(BigInt(value)) })),
    hashes: hashes.map(({ outcome, replacedBy, ...hash }) => ({
      ...hash,
      outcome: outcome ?? undefined,
      replacedBy: replacedBy ?? undefined,
    })),
    needs: needs ?? undefined,
    arrived: arrived.map(({ value, arrivedAt, ...one }) => ({
      ...one,
      value: toAmount(BigInt(value)),
      arrivedAt: new Date(arrivedAt),
    })),
    screened: stored.screened,
    screenedFinal: toAmount(BigInt(stored.screenedFinal)),
  };
}
