// Open payments from the events of payments. Each is watched until it is paid or long expired.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import { type ChainId, toAddress, toAmount, toChainId, toCurrency } from "@pay/values";
import type { ClientBase } from "pg";
import { paymentWindow } from "../attribution/domain/candidate.ts";
import { isCancelled, type Watch } from "../attribution/domain/watch.ts";
import { insertKnownRecipients } from "../attribution/storage/known-recipients.ts";
import { recheckAmbiguous } from "../attribution/storage/on-hold.ts";
import { upsertWatches } from "../attribution/storage/watches.ts";

type PaymentEvent = Extract<EventType, `payment.${string}`>;

/** Every event carries the whole payment; these open, change or close a watch. */
const CHANGES_WATCH: Readonly<Record<PaymentEvent, boolean>> = {
  "payment.created": true,
  "payment.payer_declared": true,
  "payment.needs_changed": false,
  "payment.extended": true,
  "payment.processing": true,
  "payment.refuted": false,
  "payment.confirmed": true,
  "payment.surplus": false,
  "payment.failed": true,
  "payment.expired": true,
  "payment.late_accepted": false,
  "payment.late_rejected": false,
  "payment.refunded": true,
};

export const WATCH_TYPES = (Object.keys(CHANGES_WATCH) as PaymentEvent[]).filter(
  (type) => CHANGES_WATCH[type],
);

const PAID: ReadonlySet<string> = new Set(["confirmed", "refunded"]);

/** A payment that is new, or open for longer, ends no hold. */
const ENDING_NO_HOLD: ReadonlySet<string> = new Set<EventType>([
  "payment.created",
  "payment.extended",
]);

export interface Taken {
  /** Chains whose watches changed. */
  opened: ReadonlySet<ChainId>;
  /** Chains that have candidates to verify now. */
  touched: ReadonlySet<ChainId>;
}

export async function takeWatches(
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<Taken> {
  const read = events.flatMap((event) => {
    const watch = toWatch(event);
    return watch === undefined ? [] : [{ type: event.type, watch }];
  });
  const watches = read.map(({ watch }) => watch);
  await upsertWatches(db, watches);
  const changed = read.filter(({ type }) => !ENDING_NO_HOLD.has(type));
  const touched = await recheckAmbiguous(
    db,
    changed.map(({ watch }) => watch),
    now,
  );
  await insertKnownRecipients(
    db,
    watches.map((watch) => ({ ...watch, sender: undefined, since: payableSince(watch) })),
  );
  return { opened: new Set(watches.map(({ chainId }) => chainId)), touched };
}

/** Transfers that can pay a payment are visible to its merchant. */
function payableSince({ openedAt, expiresAt }: Watch): Date {
  return paymentWindow({ createdAt: openedAt, expiresAt }).notBefore;
}

function toWatch({ resource, projectId, mode, requestId }: Event): Watch | undefined {
  if (resource.case !== "payment") return undefined;
  const { createdAt, expiresAt, payerAddress, payerDeclaredAt, payerSignedAt, ...payment } =
    resource.value;
  if (createdAt === undefined || expiresAt === undefined) {
    throw new Error("an event of a payment lacks one of its times");
  }
  return {
    paymentId: payment.id,
    projectId,
    mode,
    requestId,
    chainId: toChainId(payment.chainId),
    recipient: toAddress(payment.recipientAddress),
    currency: toCurrency(payment.currency),
    payer: payerAddress === undefined ? undefined : toAddress(payerAddress),
    payerDeclaredAt: payerDeclaredAt && timestampDate(payerDeclaredAt),
    payerSignedAt: payerSignedAt && timestampDate(payerSignedAt),
    baseAmount: toAmount(payment.baseAmount),
    openedAt: timestampDate(createdAt),
    expiresAt: timestampDate(expiresAt),
    isOpen: !PAID.has(payment.status),
    isCancelled: isCancelled(payment),
    firstWins: payment.unsignedClaims === "first",
    version: payment.version,
  };
}
