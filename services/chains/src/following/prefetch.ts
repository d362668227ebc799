// Reads the next blocks while a step is written. The result counts only where it continues that step and covers all
// tokens of the next one.
import type { Reader } from "../providers/reader.ts";
import { type ScanResult, type ScanTerms, scanNext } from "./scan.ts";

export interface Prefetch {
  readonly reader: Reader;
  readonly terms: ScanTerms;
  readonly scan: Promise<ScanResult>;
}

export function prefetch(reader: Reader, terms: ScanTerms): Prefetch {
  const scan = scanNext(reader, terms);
  // A fault is that of the step which takes it.
  scan.catch(() => undefined);
  return { reader, terms, scan };
}

export function isUsable(
  terms: ScanTerms,
  { head, tokens, withNative }: Pick<ScanTerms, "head" | "tokens" | "withNative">,
): boolean {
  return (
    terms.head.number === head.number &&
    terms.head.hash === head.hash &&
    (terms.withNative || !withNative) &&
    [...tokens].every((token) => terms.tokens.has(token))
  );
}
