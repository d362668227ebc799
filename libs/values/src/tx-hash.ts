declare const kind: unique symbol;

/** The hash of a transaction: 0x and 64 hex digits in lower case, so equal hashes are equal texts. */
export type TxHash = string & { readonly [kind]: "TxHash" };

const TX_HASH = /^0x[0-9a-f]{64}$/;

/** The hash that a text from outside spells; undefined where it spells none. */
export function parseTxHash(text: string): TxHash | undefined {
  const hash = toTxHash(text);
  return TX_HASH.test(hash) ? hash : undefined;
}

/** The hash in a message or a row, which was parsed where it came in. */
export function toTxHash(text: string): TxHash {
  return text.toLowerCase() as TxHash;
}

/** Other hex from outside, e.g. the hash of a block, in the spelling in which it is compared. */
export function toHex(text: string): string {
  return text.toLowerCase();
}
