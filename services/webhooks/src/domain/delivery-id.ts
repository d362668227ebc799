// Merchants see the row's UUID in the format of all other ids.
import { toBase62 } from "@pay/values";

const DIGITS = 24;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const UUID_BITS = 128n;

export function toDeliveryId(uuid: string): string {
  return `del_${toBase62(Buffer.from(uuid.replaceAll("-", ""), "hex"), DIGITS)}`;
}

/** The row's UUID; undefined for any other text. */
export function parseDeliveryId(deliveryId: string): string | undefined {
  if (!/^del_[0-9A-Za-z]{24}$/.test(deliveryId)) return undefined;
  let value = 0n;
  for (const character of deliveryId.slice("del_".length)) {
    value = value * 62n + BigInt(ALPHABET.indexOf(character));
  }
  if (value >> UUID_BITS !== 0n) return undefined;
  const hex = value.toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
