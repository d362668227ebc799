declare const kind: unique symbol;

/** The number of a chain, which a JavaScript number holds exactly. */
export type ChainId = number & { readonly [kind]: "ChainId" };

const CHAIN_ID = /^[1-9][0-9]{0,15}$/;

/** The chain that an operator names; undefined where it is no number of one. */
export function parseChainId(text: string): ChainId | undefined {
  const number = Number(text);
  return CHAIN_ID.test(text) && Number.isSafeInteger(number) ? (number as ChainId) : undefined;
}

/** The chain in a message or a row. Rounded, a number would be another chain's. */
export function toChainId(id: bigint | number | string): ChainId {
  const number = Number(id);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error("no number of a chain");
  return number as ChainId;
}
