// Applies what chains knows about the money of a payment. A report that does not match the payment's own record is
// rejected, so that an event on the bus cannot confirm a payment that was not paid.
import type { Address, Amount, ChainId, Currency, Needs, TxHash } from "@pay/values";
import { toAddress, toAmount, toChainId, toCurrency } from "@pay/values";
import { decideMove, type Reason } from "./decide-move.ts";
import type {
  ArrivedAmount,
  Change,
  HashVerdict,
  Move,
  Payment,
  ScreenedWallet,
  SenderSum,
  SubmittedHash,
  Trigger,
} from "./payment.ts";
import { isInBlock, isJudged, isPaid, listHashes } from "./state.ts";

/** The complete state of a payment's money; a later turn replaces an earlier one. */
export interface ReportedMoney {
  projectId: string;
  mode: number;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  turn: number;
  seen: Amount;
  final: Amount;
  late: Amount;
  lateFinal: Amount;
  txHash: TxHash | undefined;
  blockNumber: bigint | undefined;
  senders: readonly SenderSum[];
  hashes: readonly { hash: TxHash; outcome: string | undefined; isMined: boolean }[];
  needs: Needs | null;
  arrived: readonly ArrivedAmount[];
  screened: readonly ScreenedWallet[];
  screenedFinal: Amount;
}

export type Outcome =
  /** It is not all applied where more moves follow. */
  | ({ kind: "moved"; hasMore?: boolean } & Move)
  | { kind: "unchanged" }
  /** Money that the table of moves has no place for. */
  | { kind: "unapplied" }
  /** A field of the report differs from the payment. */
  | { kind: "mismatch"; field: string };

export function applyMoney(payment: Payment, money: ReportedMoney, now: Date): Outcome {
  const field = findMismatch(payment, money);
  if (field !== undefined) return { kind: "mismatch", field };
  if (money.turn <= (payment.money_turn ?? 0)) return { kind: "unchanged" };
  const named = nameScreened(payment, money, now);
  if (named !== undefined) return { kind: "moved", hasMore: true, ...named };
  const reported: Payment = { ...payment, ...toColumns(payment, money) };
  const facts = loseProof(payment, reported, now);
  const moved = decideMove(payment, facts, describe(payment, facts, money), now);
  return moved === undefined ? { kind: "unapplied" } : { kind: "moved", ...moved };
}

/** The first field that differs from the payment. */
function findMismatch(payment: Payment, money: ReportedMoney): string | undefined {
  const { seen, final, late, lateFinal, txHash, blockNumber, screenedFinal } = money;
  const fits = {
    project: money.projectId === payment.project_id,
    mode: money.mode === payment.mode,
    chain: money.chainId === toChainId(payment.chain_id),
    recipient: money.recipient === toAddress(payment.recipient_address),
    currency: money.currency === toCurrency(payment.currency),
    sums: final <= seen && lateFinal <= late && screenedFinal <= final,
    transaction: seen + late === 0n || (txHash !== undefined && blockNumber !== undefined),
  };
  return Object.entries(fits).find(([, holds]) => !holds)?.[0];
}

const SCREENED_MAX = 10;

/** A move of its own, whose event names the wallets. It changes no sum, so the status stays. */
function nameScreened(payment: Payment, money: ReportedMoney, now: Date): Move | undefined {
  const known = payment.screened ?? [];
  const fresh = money.screened.filter(({ address }) =>
    known.every((one) => one.address !== address),
  );
  const screened = [...known, ...fresh].slice(0, SCREENED_MAX);
  if (screened.length === known.length) return undefined;
  const needs = payment.needs ?? (money.needs === "review" ? "review" : null);
  const change: Change = { screened, needs };
  const move = decideMove(payment, change, { cause: "money", trigger: "screen" }, now);
  // What the time has changed comes first, so that the status stays.
  return move?.trigger === "screen" ? move : decideMove(payment, {}, { cause: "time" }, now);
}

function toColumns(payment: Payment, money: ReportedMoney): Change {
  const { seen, final, late, lateFinal, senders } = money;
  const [sender, ...others] = senders;
  const total = final + lateFinal;
  const isOnly =
    sender !== undefined && others.length === 0 && toAmount(sender.base_amount) === total;
  const reported: Change = {
    money_turn: money.turn,
    received_base_amount: orNull(seen + late),
    final_base_amount: orNull(total),
    late_base_amount: orNull(late),
    late_final_base_amount: orNull(lateFinal),
    sender_address: isOnly ? sender.address : null,
    // One wallet that sent all of it is in sender_address.
    senders: isOnly || sender === undefined ? null : [...senders],
    hashes: mergeOutcomes(payment, money),
    needs: money.needs,
    arrived: money.arrived.length === 0 ? null : [...money.arrived],
    screened_base_amount: orNull(money.screenedFinal),
  };
  // An unsigned payer is a note, and the wallet that paid is better.
  if (isOnly && payment.payer_signed_at === null) reported.payer_address = sender.address;
  const isKept = payment.confirmed_at !== null && isPaid({ ...payment, ...reported });
  if (isKept && money.txHash !== payment.tx_hash) return reported;
  return {
    ...reported,
    tx_hash: money.txHash ?? null,
    money_tx_hash: null,
    block_number: money.blockNumber ?? null,
  };
}

function orNull(amount: bigint): Amount | null {
  return amount === 0n ? null : toAmount(amount);
}

/** A hash that chains does not know yet has no outcome. One that has counted and is gone was reorganized. */
function mergeOutcomes(payment: Payment, money: ReportedMoney): SubmittedHash[] | null {
  if (payment.hashes === null) return null;
  const known = new Map<string, ReportedMoney["hashes"][number]>(
    money.hashes.map((one) => [one.hash, one]),
  );
  return payment.hashes.map(({ outcome: before, mined: _, ...submitted }) => {
    const reported = known.get(submitted.hash);
    const isGone = before === "counted" || before === "reorged";
    const outcome = reported?.outcome ?? (isGone ? "reorged" : undefined);
    if (outcome !== undefined) return { ...submitted, outcome };
    return { ...submitted, ...(reported?.isMined && { mined: true as const }) };
  });
}

/** A reorganization may take the money that was enough; an accepted sum holds only while it is there. */
function loseProof(payment: Payment, reported: Payment, now: Date): Payment {
  // Money that screening has named is not lost.
  const before = { ...payment, screened_base_amount: reported.screened_base_amount };
  const { accepted_base_amount, received_base_amount } = reported;
  const isVoid =
    accepted_base_amount !== null && (received_base_amount ?? 0n) < accepted_base_amount;
  const facts: Payment = isVoid
    ? { ...reported, late_decision: null, accepted_base_amount: null, closed_at: null }
    : reported;
  const isLost = [isPaid, isInBlock].some((holds) => holds(before) && !holds(facts));
  return isLost ? { ...facts, reorged_at: now } : facts;
}

/** Sums that change by less make no event. */
const NOTABLE_PART = 1_000n;

function describe(before: Payment, after: Payment, { txHash }: ReportedMoney): Reason {
  const grown = (after.received_base_amount ?? 0n) - (before.received_base_amount ?? 0n);
  const isNotable = grown * NOTABLE_PART >= before.base_amount;
  const about = txHash === undefined ? undefined : { hash: txHash, verdict: null };
  if (isNotable) return { cause: "money", trigger: chooseReceipt(before, after), about };
  if (-grown * NOTABLE_PART >= before.base_amount)
    return { cause: "money", trigger: "lose", about };
  const refuted = findRefuted(before, after);
  return refuted === undefined
    ? { cause: "money" }
    : { cause: "money", trigger: "refute", about: refuted };
}

function chooseReceipt(before: Payment, after: Payment): Trigger {
  const { status, cancelled_at } = before;
  if (status === "confirmed" || status === "refunded") return "receiveSurplus";
  const isLate = (after.late_base_amount ?? 0n) > (before.late_base_amount ?? 0n);
  return isLate || cancelled_at !== null ? "receiveLate" : "receive";
}

function findRefuted(before: Payment, after: Payment): HashVerdict | undefined {
  const open = new Set(listHashes(before).flatMap((one) => (isJudged(one) ? [] : one.hash)));
  const refuted = listHashes(after).find(
    ({ hash, outcome = "counted" }) => open.has(hash) && outcome !== "counted",
  );
  return refuted && { hash: refuted.hash, verdict: refuted.outcome ?? null };
}
