// What a merchant gets: bodies are rendered once, when the event arrives, and sent as these bytes by every attempt.
// Values that JavaScript's numbers could bend (amounts, block numbers, the merchant's own metadata) are put in as the
// text they came in.
import type {
  CustomerSnapshot,
  Event,
  PaymentSnapshot,
  RefundSnapshot,
  SettlementSnapshot,
} from "@pay/proto";
import { inOwnMemory } from "./own-memory.ts";

export type Resource = Event["resource"];

/** An event that ought to reach merchants and cannot. */
export class UnfitEvent extends Error {}

/** Fields that have another name in a message: amounts of bodies are in base units. */
const SOURCES: Readonly<Record<string, string>> = {
  amount: "baseAmount",
  metadata: "metadataJson",
};

type FieldOf<Message> =
  | (keyof Message & string)
  | ("metadataJson" extends keyof Message ? "metadata" : never);

/** The fields of each body in their order, with the values of the message. */
const PAYMENT: readonly FieldOf<PaymentSnapshot>[] = [
  "id",
  "status",
  "txHash",
  "blockNumber",
  "amount",
  "currency",
  "orderId",
  "chainId",
];
const REFUND: readonly FieldOf<RefundSnapshot>[] = [
  "id",
  "paymentId",
  "status",
  "amount",
  "currency",
  "chainId",
  "txHash",
  "reason",
  "failureReason",
  "orderId",
];
const SETTLEMENT: readonly FieldOf<SettlementSnapshot>[] = [
  "id",
  "status",
  "amount",
  "currency",
  "chainId",
  "destinationAddress",
  "txHash",
  "blockNumber",
  "failureReason",
];
const CUSTOMER: readonly FieldOf<CustomerSnapshot>[] = [
  "id",
  "walletAddress",
  "displayName",
  "metadata",
  "createdAt",
  "updatedAt",
];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  payment: PAYMENT,
  refund: REFUND,
  settlement: SETTLEMENT,
  customer: CUSTOMER,
} satisfies { [Case in NonNullable<Resource["case"]>]?: readonly string[] };

/** The body's bytes. */
export function renderBody({ type, resource }: { type: string; resource: Resource }): Buffer {
  const kind = resource.case ?? "nothing";
  if (resource.case === undefined || !type.startsWith(`${kind}.`)) {
    throw new UnfitEvent(`a ${type} event carries ${kind}`);
  }
  const names = FIELDS[kind];
  if (names === undefined) throw new UnfitEvent(`no body for ${kind}`);
  const values = resource.value as object as Readonly<Record<string, unknown>>;
  const fields = names.map((name) => `"${name}":${jsonOf(name, values[SOURCES[name] ?? name])}`);
  return inOwnMemory(Buffer.from(`{${fields.join(",")}}`));
}

function jsonOf(name: string, value: unknown): string {
  if (value === undefined) return "null";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "object") return moment(value as Moment);
  return name === "metadata" ? document(value as string) : JSON.stringify(value);
}

interface Moment {
  seconds: bigint;
  nanos: number;
}

function moment(at: Moment): string {
  const ms = Number(at.seconds) * 1_000 + Math.floor(at.nanos / 1_000_000);
  return JSON.stringify(new Date(ms).toISOString());
}

/** The merchant's own JSON, unchanged, once it is known to be JSON. */
function document(json: string): string {
  try {
    JSON.parse(json);
    return json;
  } catch (error) {
    throw new UnfitEvent("metadata is not JSON", { cause: error });
  }
}
