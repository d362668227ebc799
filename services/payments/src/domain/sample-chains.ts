// What chains promises about the hashes of a payment, for tests of payments alone: each gets one verdict, unless it
// is never mined. While another payment may be meant, it is held until a wallet signs, the merchant decides or the
// time is over.
import type { ObservedTransfer } from "@pay/events";
import { type Address, type TxHash, toAddress, toChainId, toCurrency } from "@pay/values";
import type { Payment } from "./payment.ts";

/** What a transaction is; nothing: it is never mined. */
export const NATURES = ["pays", "late", "wrong", "nothing"] as const;
export type Nature = (typeof NATURES)[number];

interface Candidate {
  hash: TxHash;
  state: "waiting" | "confirmed" | "surplus" | "rejected" | "abandoned";
  attempt: number;
  found: boolean;
  byMerchant: boolean;
  /** The merchant has taken it although it is late. */
  isAccepted: boolean;
  isHeld: boolean;
  turn: number;
  isReorged: boolean;
}

export interface Transaction {
  nature: Nature;
  sender: Address;
  /** Another open payment may be meant. */
  isContested: boolean;
}

const SUBMITTING: ReadonlySet<string> = new Set(["payment.processing", "payment.late_accepted"]);

export interface SampleChains {
  transactions: ReadonlyMap<TxHash, Transaction>;
  candidates: Map<TxHash, Candidate>;
  /** The payment as the newest event said it. */
  known: Payment | undefined;
  publish(seen: ObservedTransfer): void;
}

function say(
  { known, transactions, publish }: SampleChains,
  type: string,
  { hash, found, turn, ...more }: Candidate & Partial<ObservedTransfer>,
) {
  if (known === undefined) return;
  const { needs, reason = "", received = known.base_amount } = more;
  publish({
    type: `transfer.${type}`,
    projectId: known.project_id,
    mode: known.mode,
    chainId: toChainId(known.chain_id),
    recipient: toAddress(known.recipient_address),
    currency: toCurrency(known.currency),
    txHash: hash,
    found,
    submittedTxHash: found && type === "confirmed" ? undefined : hash,
    sender: transactions.get(hash)?.sender,
    blockNumber: 7n,
    received,
    reason,
    needs,
    needsTurn: turn,
  });
}

export function listByState({ candidates }: SampleChains, state: Candidate["state"]): Candidate[] {
  return [...candidates.values()].filter((one) => one.state === state);
}

function refute(chains: SampleChains, one: Candidate, reason: string) {
  const isKept = one.found && reason !== "late" && !one.isReorged && !one.isHeld;
  one.state = "rejected";
  one.isHeld = false;
  if (!isKept) say(chains, "rejected", { ...one, reason });
}

function hold(chains: SampleChains, one: Candidate, isHeld: boolean) {
  if (one.isHeld === isHeld) return;
  one.isHeld = isHeld;
  one.turn++;
  say(chains, "waiting", { ...one, needs: isHeld ? "payer_signature" : undefined });
}

function prove(chains: SampleChains, one: Candidate) {
  one.isHeld = false;
  const isFirst = listByState(chains, "confirmed").length === 0;
  one.state = isFirst ? "confirmed" : "surplus";
  say(chains, isFirst ? "confirmed" : "surplus", one);
}

/** Looks at a hash that waits. */
export function judge(chains: SampleChains, hash: TxHash, { isOver }: { isOver: boolean }): void {
  const one = chains.candidates.get(hash);
  if (one?.state !== "waiting") return;
  const outcome = makeOutcome(chains, one, isOver);
  if (outcome === "proven") prove(chains, one);
  else if (outcome === "held") hold(chains, one, true);
  else if (outcome === "given_up") one.state = "abandoned";
  else if (outcome !== undefined) refute(chains, one, outcome);
}

/** Undefined: nothing yet. Besides these it is the reason of a refusal. */
function makeOutcome(
  { known, transactions, ...chains }: SampleChains,
  one: Candidate,
  isOver: boolean,
): "proven" | "held" | "given_up" | string | undefined {
  const transaction = transactions.get(one.hash);
  if (known === undefined || transaction === undefined) return undefined;
  const { nature, sender, isContested } = transaction;
  if (nature === "nothing" && !isOver) return undefined;
  if (nature === "nothing" && one.isReorged) return "reorged";
  if (nature === "nothing") return one.isHeld ? "not_found" : "given_up";
  const { payer_address, payer_signed_at } = known;
  const isProven = [...chains.candidates.values()].some(({ state }) => state === "confirmed");
  if (nature === "wrong") return "wrong_token";
  const isPayers = one.isAccepted || payer_address === null || payer_address === sender;
  if (!isPayers) return "payer_mismatch";
  if (nature === "late" && !one.isAccepted && !isProven) return "late";
  const isSigned = payer_signed_at !== null && payer_address === sender;
  if (!isContested || one.byMerchant || isSigned || isProven) return "proven";
  return isOver ? "ambiguous" : "held";
}

/** An event of the payment. */
export function take(chains: SampleChains, type: string, payment: Payment): void {
  const { candidates, known } = chains;
  if (known === undefined || known.version < payment.version) chains.known = payment;
  const { tx_hash, version: attempt, merchant_submitted } = payment;
  const hash = tx_hash as TxHash | null;
  if (hash === null || !SUBMITTING.has(type)) return;
  const before = candidates.get(hash);
  if (before !== undefined && before.attempt >= attempt) return;
  const isAccepted =
    payment.late_decision === "accepted" &&
    (type === "payment.late_accepted" || merchant_submitted);
  if (before?.state !== "confirmed" && before?.state !== "surplus") {
    candidates.set(hash, {
      ...(before ?? { isHeld: false, turn: 0, isReorged: false }),
      hash,
      state: "waiting",
      attempt,
      found: false,
      isAccepted,
      byMerchant: merchant_submitted || (before?.byMerchant ?? false),
    });
  }
  const surplus = isAccepted ? listByState(chains, "surplus") : [];
  for (const proof of [...listByState(chains, "confirmed"), ...surplus]) {
    if (proof.attempt >= attempt) continue;
    proof.attempt = attempt;
    say(chains, proof.state, proof);
  }
}

/** Finds it by its recipient. */
export function find(chains: SampleChains, hash: TxHash): void {
  const nature = chains.transactions.get(hash)?.nature;
  if (chains.candidates.has(hash) || nature === "nothing" || nature === "wrong") return;
  const one: Candidate = {
    hash,
    state: "waiting",
    attempt: 0,
    found: true,
    byMerchant: false,
    isAccepted: false,
    isHeld: false,
    turn: 0,
    isReorged: false,
  };
  chains.candidates.set(hash, one);
  if (nature === "pays") say(chains, "seen", one);
}

/** The block of the proof leaves the chain, and what stood on it is looked at again. */
export function reorg(chains: SampleChains): void {
  for (const one of [...listByState(chains, "surplus"), ...listByState(chains, "confirmed")]) {
    if (one.state === "confirmed") {
      one.isReorged = true;
      say(chains, "unseen", one);
    }
    one.state = "waiting";
  }
}

/** The block of what came on top leaves the chain. */
export function reorgSurplus(chains: SampleChains): void {
  for (const one of listByState(chains, "surplus")) {
    say(chains, "unseen", one);
    one.state = "waiting";
  }
}

/** The time of the payment is over, and the transaction is in a block. */
export function publishUnproven(chains: SampleChains, hash: TxHash): void {
  const one = chains.candidates.get(hash);
  const isMined = chains.transactions.get(hash)?.nature === "pays";
  if (one?.state === "waiting" && isMined && !one.isHeld) say(chains, "unproven", one);
}

/** The other payment is not meant any more. */
export function endHold(chains: SampleChains, hash: TxHash): void {
  const transaction = chains.transactions.get(hash);
  if (transaction !== undefined) transaction.isContested = false;
  const one = chains.candidates.get(hash);
  if (one?.state === "waiting") hold(chains, one, false);
}
