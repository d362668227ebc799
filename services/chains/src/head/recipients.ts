// The addresses that open payments of a chain are paid to: a packed set of 20-byte addresses, because there may be a
// million of them and every transfer on the chain is looked up. It only grows; it is built anew from time to time.

const WORDS = 5;
const CHARS_PER_WORD = 8;
const SLOTS_MIN = 1_024;
const HEX = 16;

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
    // The middle of an address is the part that is costly to choose.
    let slot = mixed((key[1] ?? 0) ^ Math.imul(key[3] ?? 0, 31)) & (slots - 1);
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

function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
