// The filter of a block or a receipt: it knows each address and topic of its logs, and some that are in none.
import { getBytes, keccak256 } from "ethers";

export interface Filter {
  has(item: string): boolean;
  /** Whether it says anything: some chains leave it empty, and where many bits are set it knows nearly everything. */
  readonly isTelling: boolean;
}

const BYTE_BITS = 8;
const TELLING_MAX = 1_024;

/** Of 256 bytes in hex. */
export function readFilter(text: string): Filter {
  const bytes = getBytes(text);
  return {
    get isTelling() {
      const set = bytes.reduce((sum, byte) => sum + countBits(byte), 0);
      return set > 0 && set < TELLING_MAX;
    },
    // Three bits of 2,048 stand for an item; all must be set.
    has: (item) =>
      toBits(item).every(
        (bit) => ((bytes[bytes.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0,
      ),
  };
}

function countBits(byte: number): number {
  let count = 0;
  for (let bit = 0; bit < BYTE_BITS; bit++) count += (byte >> bit) & 1;
  return count;
}

// The same few tokens and parties come again and again, and hashing them is most of the work.
const BITS_MAX = 10_000;
const knownBits = new Map<string, readonly number[]>();

function toBits(item: string): readonly number[] {
  const known = knownBits.get(item);
  if (known !== undefined) return known;
  const digest = getBytes(keccak256(item));
  const bits = [0, 2, 4].map((at) => (((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)) & 2047);
  if (knownBits.size >= BITS_MAX) knownBits.clear();
  knownBits.set(item, bits);
  return bits;
}
