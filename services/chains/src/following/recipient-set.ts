// The recipients of open payments of a chain, a million perhaps: a packed set, because every transfer on the chain is
// looked up in it. It keeps 8 random-keyed bytes of each address; a collision costs one query. It only grows.
import type { Address } from "@pay/values";

const CHARS = 40;
const CHARS_PER_WORD = 8;
const SLOTS_MIN = 1_024;
const HEX = 16;
const BITS_PER_BYTE = 8;
const BYTES_PER_WORD = 4;
const BYTE_VALUES = 256;
const BYTES = CHARS / 2;

/**
 * Two random numbers for each value of each byte of an address. Each process draws its own, so that no merchant can
 * choose recipients that collide.
 */
const DRAWN = crypto.getRandomValues(new Int32Array(BYTES * BYTE_VALUES * 2));

export interface RecipientSet {
  readonly size: number;
  add(address: Address): void;
  has(address: Address): boolean;
}

export function createRecipientSet(): RecipientSet {
  let slots = SLOTS_MIN;
  let prints = new Int32Array(slots * 2);
  let size = 0;
  let low = 0;
  let high = 0;

  /** Both halves are 0 in a free slot alone. */
  function read(address: Address) {
    low = 0;
    high = 0;
    let from = 0;
    for (let at = 2; at < CHARS + 2; at += CHARS_PER_WORD) {
      const word = Number.parseInt(address.slice(at, at + CHARS_PER_WORD), HEX);
      for (let bits = 0; bits < BYTES_PER_WORD * BITS_PER_BYTE; bits += BITS_PER_BYTE) {
        const drawn = 2 * (from + ((word >>> bits) & (BYTE_VALUES - 1)));
        low ^= DRAWN[drawn] ?? 0;
        high ^= DRAWN[drawn + 1] ?? 0;
        from += BYTE_VALUES;
      }
    }
    if (low === 0 && high === 0) low = 1;
  }

  /** The slot of what was read, or the free one where it belongs. */
  function find(): number {
    let slot = low & (slots - 1);
    while (isUsed(slot) && !(prints[slot * 2] === low && prints[slot * 2 + 1] === high)) {
      slot = (slot + 1) & (slots - 1);
    }
    return slot;
  }

  function isUsed(slot: number): boolean {
    return prints[slot * 2] !== 0 || prints[slot * 2 + 1] !== 0;
  }

  function put(slot: number) {
    prints[slot * 2] = low;
    prints[slot * 2 + 1] = high;
  }

  function grow() {
    const old = prints;
    slots *= 2;
    prints = new Int32Array(slots * 2);
    for (let at = 0; at < old.length; at += 2) {
      low = old[at] ?? 0;
      high = old[at + 1] ?? 0;
      if (low !== 0 || high !== 0) put(find());
    }
  }

  return {
    get size() {
      return size;
    },
    add: (address) => {
      read(address);
      const slot = find();
      if (isUsed(slot)) return;
      put(slot);
      size++;
      if (size * 2 > slots) grow();
    },
    has: (address) => {
      if (size === 0) return false;
      read(address);
      return isUsed(find());
    },
  };
}
