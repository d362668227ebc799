import { checksumAddress, isAddress } from "@pay/money";
import { LRUCache } from "lru-cache";

const REMEMBERED_MAX = 10_000;

// Merchants are paid to few addresses, and a checksum costs more than the rest of a validation.
const remembered = new LRUCache<string, string>({ max: REMEMBERED_MAX });

/** The address with its checksum; undefined for what is no address or bears a wrong checksum. */
export const canonicalAddress = (text: string): string | undefined => {
  const known = remembered.get(text);
  if (known !== undefined || !isAddress(text)) return known;
  const canonical = checksumAddress(text);
  remembered.set(text, canonical);
  return canonical;
};
