import { checksumAddress, isAddress } from "@pay/values";
import { LRUCache } from "lru-cache";

const REMEMBERED_MAX = 10_000;

// Merchants receive money at few addresses, and a checksum costs more than the rest of a validation.
const remembered = new LRUCache<string, string>({ max: REMEMBERED_MAX });

/** The address with its checksum; undefined for a text that is no address or has a wrong checksum. */
export function canonicalAddress(text: string): string | undefined {
  const known = remembered.get(text);
  if (known !== undefined || !isAddress(text)) return known;
  const canonical = checksumAddress(text);
  remembered.set(text, canonical);
  return canonical;
}
