// Refunds and settlements that the service sends itself, from the events of refunds. Each becomes one intent, however
// often its event comes.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import type { Event, RefundSnapshot, SettlementSnapshot } from "@pay/proto";
import { toAddress, toAmount, toChainId, toCurrency } from "@pay/values";
import type { ClientBase } from "pg";
import type { NewIntent } from "../payouts/domain/intent.ts";
import { insertIntents } from "../payouts/storage/intents.ts";

/** The events after which money is due. A declared refund may get its destination later. */
const DUE = {
  refund: ["refund.created", "refund.destination_set"],
  settlement: ["settlement.approved"],
} as const satisfies Record<string, readonly EventType[]>;

export const INTENT_TYPES: readonly EventType[] = Object.values(DUE).flat();

function isDue(kind: keyof typeof DUE, type: string): boolean {
  return (DUE[kind] as readonly string[]).includes(type);
}

/** Answers whether there is something new to send. */
export async function takeIntents(
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<boolean> {
  const intents = events.flatMap((event) => findIntent(event) ?? []);
  return (await insertIntents(db, intents, now)) > 0;
}

function findIntent(event: Event): NewIntent | undefined {
  const { type, resource } = event;
  if (isDue("refund", type) && resource.case === "refund") {
    const { paymentId, paymentConfirmedAt, createdAt } = resource.value;
    return toIntent(event, resource.value, {
      paymentId,
      owedSince: paymentConfirmedAt ?? createdAt,
    });
  }
  if (isDue("settlement", type) && resource.case === "settlement") {
    const { approvedAt } = resource.value;
    return toIntent(event, resource.value, { paymentId: undefined, owedSince: approvedAt });
  }
  return undefined;
}

function toIntent(
  { resourceId, projectId, mode, requestId }: Event,
  outgoing: RefundSnapshot | SettlementSnapshot,
  { paymentId, owedSince }: { paymentId: string | undefined; owedSince: Timestamp | undefined },
): NewIntent | undefined {
  if (!outgoing.serviceSigned || outgoing.destinationAddress === "") return undefined;
  if (owedSince === undefined) throw new Error("an event lacks one of its times");
  return {
    kind: "transfer",
    subjectId: resourceId,
    projectId,
    mode,
    requestId,
    paymentId,
    chainId: toChainId(outgoing.chainId),
    source: toAddress(outgoing.sourceAddress),
    destination: toAddress(outgoing.destinationAddress),
    currency: toCurrency(outgoing.currency),
    decimals: outgoing.decimals,
    baseAmount: toAmount(outgoing.baseAmount),
    owedSince: timestampDate(owedSince),
    version: outgoing.version,
  };
}
