// Which open payments a transfer that no one named may pay. It is given to a payment only where no other payment of the
// same tenant has as good a claim; otherwise it waits for a hash or a declared payer.

/** What the open payments of one tenant say about one transfer; two of a kind are enough to know that it is not one. */
export interface Choices<W> {
  /** The sender has signed that it will pay them. */
  signed: readonly W[];
  /** Their declared payer is the sender. Where one of them asks for exactly the amount, one that does is here. */
  bound: readonly W[];
  /** Any wallet may pay them, and they ask for exactly the amount. */
  exact: readonly W[];
  /** Any wallet may pay them, whatever they ask for. */
  open: readonly W[];
}

/**
 * What the sender has signed for comes before everything else. Payments whose payer is the sender are ranked among
 * each other by the verdict, unless only another payment asks for exactly the amount: a wallet that paid too little
 * once may pay its next order. Else the only payment of exactly the amount; else the only payment at all, to which
 * parts and surpluses belong too.
 */
export function chosenBy<W>(
  { signed, bound, exact, open }: Choices<W>,
  isExact: (watch: W) => boolean,
): readonly W[] {
  if (signed.length > 0) return signed;
  if (bound.length > 0) return exact.length === 0 || bound.some(isExact) ? bound : [];
  if (exact.length > 0) return exact.length === 1 ? exact : [];
  return open.length === 1 ? open : [];
}
