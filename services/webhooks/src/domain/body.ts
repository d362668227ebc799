// What a merchant gets: bodies are rendered once, when the event arrives, and sent as these bytes by every attempt.
// Values that JavaScript's numbers could bend (amounts, block numbers, the merchant's own metadata) are put in as the
// text they came in.

interface Moment {
  seconds: bigint;
  nanos: number;
}

/** The fields that a body needs of each resource; the events' own messages have these fields and more. */
export interface PaymentBody {
  id: string;
  status: string;
  txHash?: string | undefined;
  blockNumber?: bigint | undefined;
  baseAmount: string;
  currency: string;
  orderId?: string | undefined;
  chainId: bigint;
}

export interface RefundBody {
  id: string;
  paymentId: string;
  status: string;
  baseAmount: string;
  currency: string;
  chainId: bigint;
  txHash?: string | undefined;
  reason?: string | undefined;
  failureReason?: string | undefined;
  orderId?: string | undefined;
}

export interface SettlementBody {
  id: string;
  status: string;
  baseAmount: string;
  currency: string;
  chainId: bigint;
  destinationAddress: string;
  txHash?: string | undefined;
  blockNumber?: bigint | undefined;
  failureReason?: string | undefined;
}

export interface CustomerBody {
  id: string;
  walletAddress: string;
  displayName?: string | undefined;
  metadataJson?: string | undefined;
  createdAt?: Moment | undefined;
  updatedAt?: Moment | undefined;
}

export type Resource =
  | { case: "payment"; value: PaymentBody }
  | { case: "refund"; value: RefundBody }
  | { case: "settlement"; value: SettlementBody }
  | { case: "customer"; value: CustomerBody }
  | { case: "project" | "observation"; value: object }
  | { case: undefined; value?: undefined };

/** An event that ought to reach merchants and cannot. */
export class UnfitEvent extends Error {}

/** The body's bytes. */
export function renderBody(event: { type: string; resource: Resource }): Buffer {
  const { resource } = event;
  if (resource.case === undefined || !event.type.startsWith(`${resource.case}.`)) {
    throw new UnfitEvent(`a ${event.type} event carries ${resource.case ?? "nothing"}`);
  }
  return Buffer.from(object(fieldsOf(resource)));
}

type Field = [name: string, json: string];

function fieldsOf(resource: Resource): Field[] {
  switch (resource.case) {
    case "payment":
      return paymentFields(resource.value);
    case "refund":
      return refundFields(resource.value);
    case "settlement":
      return settlementFields(resource.value);
    case "customer":
      return customerFields(resource.value);
    default:
      throw new UnfitEvent(`no body for ${resource.case ?? "nothing"}`);
  }
}

function paymentFields(payment: PaymentBody): Field[] {
  return [
    ["id", text(payment.id)],
    ["status", text(payment.status)],
    ["txHash", text(payment.txHash)],
    ["blockNumber", integer(payment.blockNumber)],
    ["amount", text(payment.baseAmount)],
    ["currency", text(payment.currency)],
    ["orderId", text(payment.orderId)],
    ["chainId", integer(payment.chainId)],
  ];
}

function refundFields(refund: RefundBody): Field[] {
  return [
    ["id", text(refund.id)],
    ["paymentId", text(refund.paymentId)],
    ["status", text(refund.status)],
    ["amount", text(refund.baseAmount)],
    ["currency", text(refund.currency)],
    ["chainId", integer(refund.chainId)],
    ["txHash", text(refund.txHash)],
    ["reason", text(refund.reason)],
    ["failureReason", text(refund.failureReason)],
    ["orderId", text(refund.orderId)],
  ];
}

function settlementFields(settlement: SettlementBody): Field[] {
  return [
    ["id", text(settlement.id)],
    ["status", text(settlement.status)],
    ["amount", text(settlement.baseAmount)],
    ["currency", text(settlement.currency)],
    ["chainId", integer(settlement.chainId)],
    ["destinationAddress", text(settlement.destinationAddress)],
    ["txHash", text(settlement.txHash)],
    ["blockNumber", integer(settlement.blockNumber)],
    ["failureReason", text(settlement.failureReason)],
  ];
}

function customerFields(customer: CustomerBody): Field[] {
  return [
    ["id", text(customer.id)],
    ["walletAddress", text(customer.walletAddress)],
    ["displayName", text(customer.displayName)],
    ["metadata", document(customer.metadataJson)],
    ["createdAt", moment(customer.createdAt)],
    ["updatedAt", moment(customer.updatedAt)],
  ];
}

function object(fields: Field[]): string {
  return `{${fields.map(([name, json]) => `"${name}":${json}`).join(",")}}`;
}

function text(value: string | undefined): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

function integer(value: bigint | undefined): string {
  return value?.toString() ?? "null";
}

function moment(at: Moment | undefined): string {
  if (at === undefined) return "null";
  const ms = Number(at.seconds) * 1_000 + Math.floor(at.nanos / 1_000_000);
  return JSON.stringify(new Date(ms).toISOString());
}

/** The merchant's own JSON, unchanged, once it is known to be JSON. */
function document(json: string | undefined): string {
  if (json === undefined) return "null";
  try {
    JSON.parse(json);
    return json;
  } catch (error) {
    throw new UnfitEvent("metadata is not JSON", { cause: error });
  }
}
