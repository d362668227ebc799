// Classifies errors of providers. Codes mean different things at different providers, so the text decides. It may
// contain an address with a key, so no text leaves this file.

/** What nodes say of a transaction that they are given or asked to try. */
export type SendError =
  | "reverted"
  | "already_known"
  | "nonce_too_low"
  | "nonce_too_high"
  | "underpriced"
  | "no_funds";

export interface ClassifiedError {
  kind: "refused" | "busy" | "too_wide" | "unknown_block" | SendError;
  /** A range of blocks that the provider proposes. */
  blocksMax?: number;
}

/** The first that fits decides. */
const DIALECTS: readonly (readonly [ClassifiedError["kind"], RegExp])[] = [
  ["reverted", /execution reverted|\brevert(ed)?\b|vm exception|invalid opcode/i],
  [
    "already_known",
    /already (known|imported|exists|in (the )?(mem|tx)?pool)|\bknown transaction|same hash was already imported/i,
  ],
  [
    "nonce_too_low",
    /nonce (is )?too low|old ?nonce|nonce .{0,100}already (been )?used|nonce .{0,100}lower than/i,
  ],
  ["nonce_too_high", /nonce (is )?too high|nonce gap|gapped|exceeds next nonce|future nonce/i],
  [
    "underpriced",
    /underpriced|(fee|gas price|tip|feecap) .{0,100}(too low|less than block base fee)/i,
  ],
  ["no_funds", /(insufficient|not enough|doesn't have enough) (funds|balance)/i],
  [
    "unknown_block",
    /unknown block|(block|header) not found|not (yet )?available|(past|beyond|after|greater than) .{0,100}(head|latest|current)|invalid block range/i,
  ],
  [
    "too_wide",
    /(more than|exceed\w{0,20}|too many|max\w{0,20}|limit\w{0,20}( of| to)?|over) [\d,.]*(\s*k)?\s*(results|logs|blocks)|block range|range (is |of blocks )?too (wide|large|big)|too (wide|large) (a )?range|response size|query timeout|logs? (are |is )?limited|more than [\d,]+/i,
  ],
  [
    "busy",
    /rate.?limit|too many (requests|connections)|request (limit|rate)|capacity|compute units|throughput|quota|credits|try again/i,
  ],
];

/** In the JSON-RPC specification for Ethereum, where no text says more: a limit was exceeded. */
const LIMIT_EXCEEDED = -32_005;
/** What most nodes answer where the execution of a call reverts, whatever the contract says in the text. */
const REVERTED = 3;
/** Providers decide how long their texts are. */
const TEXT_LENGTH_MAX = 500;

export function classifyRpcError({
  code,
  message,
}: {
  code?: unknown;
  message?: unknown;
}): ClassifiedError {
  if (code === REVERTED) return { kind: "reverted" };
  const text = typeof message === "string" ? message.slice(0, TEXT_LENGTH_MAX) : "";
  const kind = DIALECTS.find(([, pattern]) => pattern.test(text))?.[0];
  if (kind === undefined) return { kind: code === LIMIT_EXCEEDED ? "busy" : "refused" };
  const blocksMax = kind === "too_wide" ? blocksIn(text) : undefined;
  return blocksMax === undefined ? { kind } : { kind, blocksMax };
}

function blocksIn(text: string): number | undefined {
  const bounds = /\[?(0x[0-9a-f]{1,13})\s*(?:,|-|to)\s*(0x[0-9a-f]{1,13})\]?/i.exec(text);
  if (bounds) return getCount(Number(bounds[2]) - Number(bounds[1]) + 1);
  const words = /(?<![\d,])([\d,]+)\s*(k)?[\s-]*blocks?/i.exec(text);
  if (!words) return undefined;
  return getCount(Number(words[1]?.replaceAll(",", "")) * (words[2] === undefined ? 1 : 1_000));
}

function getCount(blocks: number): number | undefined {
  return Number.isSafeInteger(blocks) && blocks > 0 ? blocks : undefined;
}
