// Fields of responses. Each has a description, and an example where null or the first value of a set would not do.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { ADDRESS, CREATED_AT, EXPIRES_AT, IDS, TOKEN } from "./example-values.ts";

export function string(description: string, example: string) {
  return z.string().meta({ description, example });
}

export function strings(description: string, example: string[] = []) {
  return z.array(z.string()).meta({ description, example });
}

export function stringOrNull(description: string, example?: string) {
  return z.string().nullable().meta({ description, example });
}

const isoTimeShape = z.iso.datetime({ precision: 3 });

export function time(description: string, example = CREATED_AT) {
  return isoTimeShape.meta({ description, example });
}

export function timeOrNull(description: string, example?: string) {
  return isoTimeShape.nullable().meta({ description, example });
}

export function integer(description: string, example: number) {
  return z.int().meta({ description, example });
}

export function integerOrNull(description: string, example?: number) {
  return z.int().nullable().meta({ description, example });
}

export function boolean(description: string, example = false) {
  return z.boolean().meta({ description, example });
}

export function choice<const T extends readonly string[]>(
  values: T,
  description: string,
  example?: T[number],
) {
  return z.enum(values).meta({ description, example });
}

export function choiceOrNull<const T extends readonly string[]>(values: T, description: string) {
  return z.enum(values).nullable().meta({ description });
}

export function id(prefix: keyof typeof IDS) {
  return string("Id; its prefix names the type of the resource.", IDS[prefix]);
}

/** A merchant's metadata comes back as it was given. */
export const metadata = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe("Your own keys and values, returned as you sent them.");

export const amount = string(
  "Amount in whole units of the currency, as a decimal string.",
  "12.50",
);
export const blockNumber = integerOrNull(
  "Block of the transaction; null until the transaction is verified.",
);
export const chainId = integer("Chain id.", 1);
export const completedAt = timeOrNull("Time at which the transaction was verified; null before.");
export const createdAt = time("Time of creation.");
export const currency = string(
  "`native` for the chain's coin, or the contract address of a listed token.",
  TOKEN,
);
export const DESTINATION_SOURCES = ["payer", "address_book", "named"] as const;
export const destinationSource = choiceOrNull(
  DESTINATION_SOURCES,
  "Why the refund may go there; null while it needs a destination.",
);
export const expiresAt = time("Time of expiry.", EXPIRES_AT);
export const failureCode = stringOrNull("Reason of the failure; null unless the payment failed.");
export const displayAmount = z
  .strictObject({
    amount: string("Amount in whole units, as a decimal string.", "12.50"),
    currency: string("Currency code of ISO 4217.", "EUR"),
  })
  .nullable()
  .describe("What the checkout page shows beside the amount; never converted.");
export const failureReason = stringOrNull("Reason of the failure; null otherwise.");
export const heldReason = stringOrNull(
  "Reason why a transaction that moved the money does not count; null otherwise.",
);
export const paymentId = string("Id of the payment.", IDS.pay);
export const recipientAddress = string("Your wallet, which receives the money.", ADDRESS);
export const payTo = string(
  "Address to pay: the payment's deposit address, else your wallet.",
  ADDRESS,
);
export const requestedBy = stringOrNull(
  "Id of the key or member that requested it; null where nobody did.",
);
export const serverTime = time("Time of the server, for countdowns.");
export const txHash = stringOrNull("Transaction hash; null before one is known.");

export const deleted = z
  .strictObject({ deleted: z.literal(true).describe("Always true."), id: string("Id.", IDS.we) })
  .meta({ id: "Deleted" });

export function toDisplayAmount(payment: {
  displayAmount?: string | undefined;
  displayCurrency?: string | undefined;
}): z.output<typeof displayAmount> {
  const { displayAmount: amount, displayCurrency: currency } = payment;
  return amount === undefined || currency === undefined ? null : { amount, currency };
}

/** A repeated answer comes out of storage as JSON, where times are text. */
export function storedTime(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

export function isoTime(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}

export function toMetadata(json: string | undefined): unknown {
  return json === undefined ? null : JSON.parse(json);
}
