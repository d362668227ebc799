// Payments as their events have them: what is due at which wallet, which hashes were submitted, and who has signed.
import type { EventType } from "@pay/events";
import type { Event, PaymentSnapshot } from "@pay/proto";
import { type ChainId, type PaymentReference, toTxHash } from "@pay/values";
import type { ClientBase } from "pg";
import {
  findNamingWallets,
  queueWallets,
  type Wallet,
  walletName,
} from "../attribution/storage/queue.ts";
import { type NewSubmission, storeSubmissions } from "../attribution/storage/submissions.ts";
import { storeWatches, type Watch } from "../attribution/storage/watches.ts";
import { toWatch } from "../attribution/to-watch.ts";
import { reopenAttributions } from "../generated/sql.ts";

type PaymentEvent = Extract<EventType, `payment.${string}`>;

/** Every event carries the whole payment. After some of them transfers may be decided otherwise. */
const CHANGES_DECISIONS: Readonly<Record<PaymentEvent, boolean>> = {
  "payment.created": false,
  "payment.payer_declared": true,
  "payment.changed": false,
  "payment.extended": true,
  "payment.submitted": false,
  "payment.processing": false,
  "payment.refuted": false,
  "payment.confirmed": false,
  "payment.received": false,
  "payment.screened": false,
  "payment.failed": false,
  "payment.expired": true,
  "payment.late_rejected": false,
  "payment.refunded": true,
};

export const PAYMENT_TYPES = Object.keys(CHANGES_DECISIONS) as PaymentEvent[];

export interface TakenPayments {
  /** Chains whose recipients changed. */
  opened: ReadonlySet<ChainId>;
  /** Chains that have transactions to verify. */
  submitted: ReadonlySet<ChainId>;
  isQueued: boolean;
}

export async function takePayments(
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<TakenPayments> {
  const taken = events.flatMap(({ type, requestId, resource }) =>
    resource.case === "payment"
      ? [{ type, watch: toWatch(resource.value, requestId), payment: resource.value }]
      : [],
  );
  const watches = taken.map(({ watch }) => watch);
  const changed = taken
    // A closed payment takes no unnamed transfer any more, whichever event says so first.
    .filter(
      ({ type, payment }) =>
        CHANGES_DECISIONS[type as PaymentEvent] || payment.closedAt !== undefined,
    )
    .map(({ watch }) => watch);
  const submissions = taken.flatMap(({ watch, payment }) => toSubmissions(watch, payment, now));
  const open = submissions.filter(({ attempt }) => attempt > 0);
  const references = taken.flatMap(({ type, watch }) =>
    type === "payment.created" ? watch.reference : [],
  );
  const naming = await findNamingWallets(db, references);
  // Before anything that a turn writes, so that neither waits for the other.
  const wallets: Wallet[] = [...changed, ...open, ...naming];
  await queueWallets(db, wallets, now);
  await storeWatches(db, watches);
  const news = await storeSubmissions(db, submissions, now);
  await reopen(db, {
    watches: changed,
    submissions: open,
    references: naming.length > 0 ? references : [],
  });
  const queued = new Set(wallets.map(walletName));
  await queueWallets(
    db,
    news.filter((wallet) => !queued.has(walletName(wallet))),
    now,
  );
  return {
    opened: new Set(watches.map(({ chainId }) => chainId)),
    submitted: new Set(news.map(({ chainId }) => chainId)),
    isQueued: wallets.length + news.length > 0,
  };
}

/** Transfers that these words are about are decided again, however old they are. */
async function reopen(
  db: ClientBase,
  {
    watches,
    submissions,
    references,
  }: {
    watches: readonly Watch[];
    submissions: readonly NewSubmission[];
    references: readonly PaymentReference[];
  },
): Promise<void> {
  if (watches.length === 0 && submissions.length === 0 && references.length === 0) return;
  await reopenAttributions(db, {
    hashes: submissions.map(({ chainId, txHash, projectId, mode }) => ({
      chain_id: chainId,
      tx_hash: txHash,
      project_id: projectId,
      mode,
    })),
    signers: watches.flatMap(({ signedBy, ...watch }) =>
      signedBy === undefined
        ? []
        : {
            chain_id: watch.chainId,
            sender: signedBy,
            recipient: watch.recipient,
            since: watch.openedAt,
            project_id: watch.projectId,
            mode: watch.mode,
          },
    ),
    payments: watches.map(({ projectId, paymentId }) => ({
      project_id: projectId,
      payment_id: paymentId,
    })),
    references,
  });
}

/** The search for a hash ends an hour after its payment, or after it was submitted. */
const SEARCH_MS = 3_600_000;

function toSubmissions(
  watch: Watch,
  { hashes, version }: PaymentSnapshot,
  now: Date,
): NewSubmission[] {
  const giveUpAt = new Date(Math.max(watch.expiresAt.getTime(), now.getTime()) + SEARCH_MS);
  return hashes.map(({ txHash, byMerchant, isAssigned, outcome }) => ({
    subjectId: watch.paymentId,
    projectId: watch.projectId,
    mode: watch.mode,
    requestId: watch.requestId,
    chainId: watch.chainId,
    txHash: toTxHash(txHash),
    recipient: watch.recipient,
    currency: watch.currency,
    sources: undefined,
    baseAmount: undefined,
    notBefore: watch.openedAt,
    // One that has an outcome is not judged again; a word of the merchant about it counts all the same.
    attempt: outcome === undefined || isAssigned ? version : 0,
    byMerchant,
    isAssigned,
    giveUpAt,
  }));
}
