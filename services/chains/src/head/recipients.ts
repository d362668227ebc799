// The addresses that open payments of a chain are paid to: a packed set of 20-byte addresses, because there may be a
// million of them and every transfer on the chain is looked up. It only grows; it is built anew from time to time.

const WORDS = 5;
const CHARS_PER_WORD = 8;
const SLOTS_MIN = 1_024;
const HEX = 16;
const BYTES_PER_WORD = 4;
const BITS_PER_BYTE = 8;
const BYTE_VALUES = 256;

/**
 * A number for each value of each byte of an address, drawn anew by each process. A merchant chooses the recipients of its
 * payments, so addresses may be alike but for a few bytes, and no caller may know which of them fall together.
 */
const DRAWN = crypto.getRandomValues(new Int32Array(WORDS * BYTES_PER_WORD * BYTE_VALUES));

export interface RecipientSet {
  readonly size: number;
  /** With 0x, in lower case. */
  add(address: string): void;
  has(address: string): boolean;
}

export function createRecipientSet(): RecipientSet {
  let slots = SLOTS_MIN;
  let words = new Int32Array(slots * WORDS);
  let used = new Uint8Array(slots);
  let size = 0;
  const key = new Int32Array(WORDS);

  function read(address: string) {
    for (let at = 0; at < WORDS; at++) {
      const from = 2 + at * CHARS_PER_WORD;
      key[at] = Number.parseInt(address.slice(from, from + CHARS_PER_WORD), HEX);
    }
  }

  /** The slot of the key, or the free one where it belongs. */
  function find(): number {
    let slot = hashOf(key) & (slots - 1);
    while (used[slot] === 1 && !isAt(slot)) slot = (slot + 1) & (slots - 1);
    return slot;
  }

  function isAt(slot: number): boolean {
    for (let at = 0; at < WORDS; at++) if (words[slot * WORDS + at] !== key[at]) return false;
    return true;
  }

  function grow() {
    const [oldWords, oldUsed, oldSlots] = [words, used, slots];
    slots *= 2;
    words = new Int32Array(slots * WORDS);
    used = new Uint8Array(slots);
    for (let slot = 0; slot < oldSlots; slot++) {
      if (oldUsed[slot] === 0) continue;
      key.set(oldWords.subarray(slot * WORDS, (slot + 1) * WORDS));
      put(find());
    }
  }

  function put(slot: number) {
    words.set(key, slot * WORDS);
    used[slot] = 1;
  }

  return {
    get size() {
      return size;
    },
    add: (address) => {
      read(address);
      const slot = find();
      if (used[slot] === 1) return;
      put(slot);
      size++;
      if (size * 2 > slots) grow();
    },
    has: (address) => {
      if (size === 0) return false;
      read(address);
      return used[find()] === 1;
    },
  };
}

function hashOf(key: Int32Array): number {
  let hash = 0;
  let from = 0;
  for (const word of key) {
    for (let bits = 0; bits < BYTES_PER_WORD * BITS_PER_BYTE; bits += BITS_PER_BYTE) {
      hash ^= DRAWN[from + ((word >>> bits) & (BYTE_VALUES - 1))] ?? 0;
      from += BYTE_VALUES;
    }
  }
  return hash;
}
