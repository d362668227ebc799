// Whether a transaction pays a refund or a settlement: at least its amount, from one of the merchant's wallets to its
// destination. A transfer pays one of them.
import { type Address, type Amount, type Reason, sumAmounts } from "@pay/values";

export interface Outgoing {
  subjectId: string;
  sources: readonly Address[];
  amount: Amount;
  /** The earliest time of a block that counts. */
  notBefore: Date;
}

export interface OutgoingTransfer {
  id: bigint;
  sender: Address;
  value: Amount;
  blockTime: Date;
  /** It pays something else of the tenant. */
  isTaken: boolean;
}

export type OutgoingVerdict<T extends OutgoingTransfer> =
  | { outcome: "counted"; pays: T[]; received: Amount }
  | { outcome: Reason; received: Amount | undefined; sender: Address | undefined };

export function judgeOutgoing<T extends OutgoingTransfer>(
  { sources, amount, notBefore }: Outgoing,
  {
    arrived,
    earlier,
    isWrongToken,
  }: {
    /** All that the transaction brought to the destination. */
    arrived: readonly T[];
    /** What earlier transactions for it brought, which was too little. */
    earlier: readonly T[];
    isWrongToken: boolean;
  },
): OutgoingVerdict<T> {
  function rejected(outcome: Reason, about: readonly T[]): OutgoingVerdict<T> {
    const received = about.length === 0 ? undefined : sum(about);
    return { outcome, received, sender: about[0]?.sender };
  }

  if (arrived.length === 0)
    return rejected(isWrongToken ? "wrong_token" : "recipient_mismatch", []);
  const matching = arrived.filter(({ sender }) => sources.includes(sender));
  const [first] = matching;
  if (first === undefined) return rejected("payer_mismatch", arrived);
  if (first.blockTime < notBefore) return rejected("predates_payment", matching);
  const free = matching.filter(({ isTaken }) => !isTaken);
  if (free.length === 0) return rejected("transfer_already_used", matching);
  const pays = choose(amount, free, earlier);
  if (pays !== undefined) return { outcome: "counted", pays, received: sum(pays) };
  return rejected("underpaid", [...free, ...earlier]);
}

/**
 * As few transfers as suffice, so that others of the same transaction can pay something else: the one of exactly the
 * amount, else the smallest one above it, else the largest together.
 */
function choose<T extends OutgoingTransfer>(
  amount: Amount,
  free: readonly T[],
  earlier: readonly T[],
): T[] | undefined {
  const same = free.find(({ value }) => value === amount);
  if (same !== undefined) return [same];
  const largestFirst = free.toSorted((a, b) => (a.value > b.value ? -1 : 1));
  const enough = largestFirst.findLast(({ value }) => value > amount);
  if (enough !== undefined) return [enough];
  const taken: T[] = [];
  for (const transfer of [...largestFirst, ...earlier]) {
    taken.push(transfer);
    if (sum(taken) >= amount) return taken;
  }
  return undefined;
}

function sum(transfers: readonly OutgoingTransfer[]): Amount {
  return sumAmounts(transfers.map(({ value }) => value));
}
