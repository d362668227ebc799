import { keccak_256 } from "@noble/hashes/sha3";

declare const kind: unique symbol;

/** A wallet or a contract: 0x and 40 hex digits in lower case, so equal addresses are equal texts. */
export type Address = string & { readonly [kind]: "Address" };

/** The currency of an amount: the coin of its chain, or a token by the address of its contract. */
export type Currency = Address | "native";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

// A merchant is paid at few addresses, so the same ones come again and again. Bounded: when it is full it starts
// anew, which costs a few hashes.
const spellings = new Map<string, string>();
const SPELLINGS_MAX = 10_000;

/** The address that a text from outside spells; undefined where it spells none or its checksum is wrong. */
export function parseAddress(text: string): Address | undefined {
  return isAddress(text) ? toAddress(text) : undefined;
}

/** The address in a message or a row, which was parsed where it came in and may have its checksum's capitals. */
export function toAddress(text: string): Address {
  return text.toLowerCase() as Address;
}

const WORD_CHARS = 66;
const ADDRESS_AT = 26;
const PADDING = `0x${"0".repeat(ADDRESS_AT - 2)}`;

/** The address in a word of a log; undefined where it holds more. Digits are cut out first: a log has two of them. */
export function addressIn(word: string): Address | undefined {
  if (word.length !== WORD_CHARS || !word.startsWith(PADDING)) return undefined;
  return `0x${word.slice(ADDRESS_AT).toLowerCase()}` as Address;
}

/** The currency in a message or a row, as for addresses. */
export function toCurrency(text: string): Currency {
  return toAddress(text);
}

/** The spelling of EIP-55, whose capitals are a checksum. */
export function checksumAddress(address: string): string {
  const lower = address.slice(2).toLowerCase();
  const known = spellings.get(lower);
  if (known !== undefined) return known;
  if (spellings.size >= SPELLINGS_MAX) spellings.clear();
  const spelling = spell(lower);
  spellings.set(lower, spelling);
  return spelling;
}

function spell(lower: string): string {
  const hash = keccak_256(lower);
  let text = "0x";
  for (let i = 0; i < lower.length; i++) {
    const nibble = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 15;
    text += nibble >= 8 ? (lower[i] as string).toUpperCase() : lower[i];
  }
  return text;
}

/** Whether this is an address: in one case throughout, or in mixed case with the right checksum. */
export function isAddress(text: string): boolean {
  if (!ADDRESS.test(text)) return false;
  const digits = text.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return text === checksumAddress(text);
}

export const ZERO_ADDRESS = toAddress("0x0000000000000000000000000000000000000000");
