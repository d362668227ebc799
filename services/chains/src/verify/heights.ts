import type { FinalityPolicy, Heights } from "../domain/finality.ts";
import type { Reader } from "../rpc/reader.ts";

/** Where a provider stands. Nothing is asked for that the policy does not need. */
export const heightsOf = async (
  reader: Reader,
  { mode, confirmations, highValueUnits }: FinalityPolicy,
  minedAt: number,
): Promise<Heights> => {
  if (mode === "confirmations" && confirmations === 1 && highValueUnits === undefined) {
    return { head: minedAt, safe: undefined, finalized: undefined };
  }
  const number = async (tag: "latest" | "safe" | "finalized") => (await reader.block(tag))?.number;
  const needsFinalized = mode === "finalized" || highValueUnits !== undefined;
  const [head, safe, finalized] = await Promise.all([
    number("latest"),
    mode === "safe" ? number("safe") : undefined,
    needsFinalized ? number("finalized") : undefined,
  ]);
  return { head: head ?? 0, safe, finalized };
};
