// While a step is judged and written, the next one is read already. It counts only where it continues what was written and
// asked for everything that is asked for by then.
import type { Reader } from "../providers/reader.ts";
import { type ScanResult, type ScanTerms, scanNext } from "./scan.ts";

export interface Ahead {
  readonly reader: Reader;
  readonly terms: ScanTerms;
  readonly scan: Promise<ScanResult>;
}

export function readAhead(reader: Reader, terms: ScanTerms): Ahead {
  const scan = scanNext(reader, terms);
  // A fault is that of the step which takes it.
  scan.catch(() => undefined);
  return { reader, terms, scan };
}

export function isAsAsked(
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
