import { keccak_256 } from "@noble/hashes/sha3";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The spelling of EIP-55, whose capitals are a checksum. */
export const checksumAddress = (address: string): string => {
  const lower = address.slice(2).toLowerCase();
  const hash = keccak_256(lower);
  let text = "0x";
  for (let i = 0; i < lower.length; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 15;
    text += nibble >= 8 ? (lower[i] as string).toUpperCase() : lower[i];
  }
  return text;
};

// A merchant is paid at few addresses, so their spellings come again and again. Bounded: when it is full it starts
// anew, which costs a few hashes.
const spelledRight = new Set<string>();
const REMEMBERED_MAX = 10_000;

/** Whether this is an address: in one case throughout, or in mixed case with the right checksum. */
export const isAddress = (text: string): boolean => {
  if (!ADDRESS.test(text)) return false;
  const digits = text.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  if (spelledRight.has(text)) return true;
  if (text !== checksumAddress(text)) return false;
  if (spelledRight.size >= REMEMBERED_MAX) spelledRight.clear();
  spelledRight.add(text);
  return true;
};

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
