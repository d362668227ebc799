/** Other hex from outside, e.g. the hash of a block or the code of a contract, in the one spelling in which it is compared. */
export function toHex(text: string): string {
  return text.toLowerCase();
}
