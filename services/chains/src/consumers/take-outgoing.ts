// Money that goes out, from the events of refunds and settlements: which transfers it waits for, and their hashes.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import type { Event, RefundSnapshot, SettlementSnapshot } from "@pay/proto";
import {
  type Address,
  type ChainId,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import type { ClientBase } from "pg";
import { insertKnownRecipients } from "../attribution/storage/known-recipients.ts";
import { queueWallets, type Wallet } from "../attribution/storage/queue.ts";
import { type NewSubmission, storeSubmissions } from "../attribution/storage/submissions.ts";
import { storeOwnWallets, storePayouts } from "../generated/sql.ts";

/** From then on a transfer of the merchant's wallet pays it. */
const EXPECTED = ["refund.created", "settlement.approved"] as const satisfies EventType[];
const SUBMITTED = ["refund.submitted", "settlement.submitted"] as const satisfies EventType[];

export const OUTGOING_TYPES: readonly EventType[] = [...EXPECTED, ...SUBMITTED];

// The builder of a block chooses its time, and the clock of a shop may be wrong.
const CLOCK_SLACK_MS = 60_000;
/** Money stays reserved until the search for its hash ends. */
const SEARCH_MS = 7 * 24 * 60 * 60_000;

interface Outgoing extends Wallet {
  subjectId: string;
  requestId: string;
  type: string;
  source: Address;
  /** Further wallets of the merchant that may pay it. */
  others: Address[];
  owedSince: Date;
  isSettlement: boolean;
  snapshot: RefundSnapshot | SettlementSnapshot;
}

/** Returns the chains that have transactions to verify. */
export async function takeOutgoing(
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<Set<ChainId>> {
  const outgoing = events.flatMap((event) => toOutgoing(event) ?? []);
  if (outgoing.length === 0) return new Set();
  await storePayouts(db, {
    payouts: outgoing.map((one) => ({
      project_id: one.projectId,
      mode: one.mode,
      subject_id: one.subjectId,
      chain_id: one.chainId,
      source: one.source,
      destination: one.recipient,
      currency: one.currency,
    })),
  });
  await storeOwnWallets(db, { wallets: outgoing.flatMap(toOwnWallets) });
  await insertKnownRecipients(
    db,
    outgoing.flatMap((one) =>
      [one.source, ...one.others].map((sender) => ({ ...one, sender, since: toNotBefore(one) })),
    ),
  );
  const submissions = outgoing.flatMap((one) => toSubmission(one, now) ?? []);
  const wallets = await storeSubmissions(db, submissions, now);
  await queueWallets(db, wallets, now);
  return new Set(wallets.map(({ chainId }) => chainId));
}

function toOutgoing(event: Event): Outgoing | undefined {
  const { type, resource, resourceId, projectId, mode, requestId } = event;
  if (resource.case !== "refund" && resource.case !== "settlement") return undefined;
  if (!OUTGOING_TYPES.some((one) => one === type)) return undefined;
  const snapshot = resource.value;
  return {
    subjectId: resourceId,
    projectId,
    mode,
    requestId,
    type,
    chainId: toChainId(snapshot.chainId),
    recipient: toAddress(snapshot.destinationAddress),
    currency: toCurrency(snapshot.currency),
    source: toAddress(snapshot.sourceAddress),
    others: resource.case === "refund" ? resource.value.payoutWallets.map(toAddress) : [],
    owedSince:
      resource.case === "refund"
        ? toDate(resource.value.paymentConfirmedAt ?? resource.value.createdAt)
        : toDate(resource.value.approvedAt),
    isSettlement: resource.case === "settlement",
    snapshot,
  };
}

/** Where collected money goes is the merchant's. */
function toOwnWallets({ projectId, isSettlement, recipient }: Outgoing) {
  return isSettlement ? [{ project_id: projectId, address: recipient, is_payout: false }] : [];
}

function toNotBefore({ owedSince }: Outgoing): Date {
  return new Date(owedSince.getTime() - CLOCK_SLACK_MS);
}

function toSubmission(one: Outgoing, now: Date): NewSubmission | undefined {
  const { txHash, baseAmount, version } = one.snapshot;
  if (txHash === undefined || !SUBMITTED.some((type) => type === one.type)) return undefined;
  return {
    subjectId: one.subjectId,
    projectId: one.projectId,
    mode: one.mode,
    requestId: one.requestId,
    chainId: one.chainId,
    recipient: one.recipient,
    currency: one.currency,
    txHash: toTxHash(txHash),
    sources: [one.source, ...one.others],
    baseAmount: toAmount(baseAmount),
    notBefore: toNotBefore(one),
    attempt: version,
    byMerchant: true,
    isAssigned: false,
    giveUpAt: new Date(now.getTime() + SEARCH_MS),
  };
}

function toDate(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) throw new Error("an event lacks one of its times");
  return timestampDate(timestamp);
}
