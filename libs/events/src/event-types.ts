// Every event of the product is one row: its topic, the resource it carries, and whether merchants receive it. Who
// writes an event names its type by EventType, so a misspelt name does not compile.

/** One topic per kind of resource; inside a topic, records of one resource share a key and so keep their order. */
export const TOPICS = {
  payments: "payments.events.v1",
  settlements: "settlements.events.v1",
  refunds: "refunds.events.v1",
  customers: "customers.events.v1",
  projects: "projects.events.v1",
  transfers: "transfers.events.v1",
  observations: "chains.observations.v1",
} as const;

/** By the noun before the dot of a type. */
const KINDS = {
  payment: { topic: TOPICS.payments, resource: "payment" },
  settlement: { topic: TOPICS.settlements, resource: "settlement" },
  refund: { topic: TOPICS.refunds, resource: "refund" },
  customer: { topic: TOPICS.customers, resource: "customer" },
  project: { topic: TOPICS.projects, resource: "project" },
  api_key: { topic: TOPICS.projects, resource: "apiKey" },
  transfer: { topic: TOPICS.observations, resource: "observation" },
  money: { topic: TOPICS.observations, resource: "money" },
} as const;

/** Of transfers merchants receive one type, apart from the many that only services read. */
const TRANSFER = { topic: TOPICS.transfers, resource: "transfer" } as const;

type Noun = keyof typeof KINDS;
export type EventKind = (typeof KINDS)[Noun] | typeof TRANSFER;

/** Merchants receive a public type; one that is byName goes only to endpoints that list it. */
type Row = EventKind & { isPublic: boolean; byName?: true };

export const EVENT_TYPES = {
  "payment.created": { ...KINDS.payment, isPublic: true },
  "payment.payer_declared": { ...KINDS.payment, isPublic: false },
  "payment.changed": { ...KINDS.payment, isPublic: false },
  "payment.submitted": { ...KINDS.payment, isPublic: false },
  "payment.extended": { ...KINDS.payment, isPublic: false },
  "payment.processing": { ...KINDS.payment, isPublic: true },
  "payment.refuted": { ...KINDS.payment, isPublic: false },
  "payment.confirmed": { ...KINDS.payment, isPublic: true },
  "payment.received": { ...KINDS.payment, isPublic: true, byName: true },
  "payment.screened": { ...KINDS.payment, isPublic: true, byName: true },
  "payment.failed": { ...KINDS.payment, isPublic: true },
  "payment.expired": { ...KINDS.payment, isPublic: true },
  "payment.late_rejected": { ...KINDS.payment, isPublic: false },
  "payment.refunded": { ...KINDS.payment, isPublic: true },
  "refund.created": { ...KINDS.refund, isPublic: true },
  "refund.submitted": { ...KINDS.refund, isPublic: false },
  "refund.refuted": { ...KINDS.refund, isPublic: false },
  "refund.destination_set": { ...KINDS.refund, isPublic: false },
  "refund.completed": { ...KINDS.refund, isPublic: true },
  "refund.failed": { ...KINDS.refund, isPublic: true },
  "refund.reorged": { ...KINDS.refund, isPublic: true, byName: true },
  "settlement.requested": { ...KINDS.settlement, isPublic: true },
  "settlement.approved": { ...KINDS.settlement, isPublic: true },
  "settlement.submitted": { ...KINDS.settlement, isPublic: false },
  "settlement.refuted": { ...KINDS.settlement, isPublic: false },
  "settlement.completed": { ...KINDS.settlement, isPublic: true },
  "settlement.failed": { ...KINDS.settlement, isPublic: true },
  "settlement.reorged": { ...KINDS.settlement, isPublic: true, byName: true },
  "customer.created": { ...KINDS.customer, isPublic: true },
  "customer.updated": { ...KINDS.customer, isPublic: true },
  "customer.erased": { ...KINDS.customer, isPublic: false },
  "project.created": { ...KINDS.project, isPublic: false },
  "project.updated": { ...KINDS.project, isPublic: true, byName: true },
  "api_key.created": { ...KINDS.api_key, isPublic: true, byName: true },
  "api_key.revoked": { ...KINDS.api_key, isPublic: true, byName: true },
  "transfer.unmatched": { ...TRANSFER, isPublic: true, byName: true },
  "transfer.unseen": { ...KINDS.transfer, isPublic: false },
  "transfer.confirmed": { ...KINDS.transfer, isPublic: false },
  "transfer.rejected": { ...KINDS.transfer, isPublic: false },
  "transfer.unsent": { ...KINDS.transfer, isPublic: false },
  "money.changed": { ...KINDS.money, isPublic: false },
} as const satisfies Record<`${Noun}.${string}`, Row>;

export type EventType = keyof typeof EVENT_TYPES;

type PaymentEvent = Extract<EventType, `payment.${string}`>;

/** The steps that a payment's timeline shows, each with the event of the change that it records. */
export const TIMELINE_STEPS = {
  created: "payment.created",
  payer_declared: "payment.payer_declared",
  extended: "payment.extended",
  transaction_submitted: "payment.processing",
  transaction_refuted: "payment.refuted",
  part_received: "payment.received",
  confirmed: "payment.confirmed",
  transaction_reorged: "payment.processing",
  failed: "payment.failed",
  expired: "payment.expired",
  paid_late: "payment.received",
  late_accepted: "payment.confirmed",
  late_rejected: "payment.late_rejected",
  surplus_received: "payment.received",
  refunded_in_part: "payment.refunded",
  refunded: "payment.refunded",
  surplus_refunded: "payment.refunded",
  refund_undone: "payment.changed",
  screened: "payment.screened",
} as const satisfies Record<string, PaymentEvent>;

export type TimelineStep = keyof typeof TIMELINE_STEPS;

/** The types that merchants receive. */
export const PUBLIC_TYPES = (Object.keys(EVENT_TYPES) as EventType[]).filter(
  (type) => EVENT_TYPES[type].isPublic,
);

const BY_NAME: ReadonlySet<string> = new Set(
  PUBLIC_TYPES.filter((type) => "byName" in EVENT_TYPES[type]),
);

/** Whether only endpoints that list the type receive it. */
export function isByName(type: string): boolean {
  return BY_NAME.has(type);
}

const PUBLIC: ReadonlySet<string> = new Set(PUBLIC_TYPES);

export function isPublic(type: string): boolean {
  return PUBLIC.has(type);
}

/** The topics on which events of these types travel, each once. */
export function listTopics(types: readonly EventType[]): string[] {
  return [...new Set(types.map((type) => EVENT_TYPES[type].topic))];
}

/**
 * The kind of an event that was received. A newer version of another service may send a verb that has no row here:
 * the noun decides, and consumers let pass what they do not know. Undefined for an unknown noun.
 */
export function getKind(type: string): EventKind | undefined {
  if (type === "transfer.unmatched") return TRANSFER;
  const [noun = "", verb = ""] = type.split(".");
  return verb !== "" && Object.hasOwn(KINDS, noun) ? KINDS[noun as Noun] : undefined;
}
