// Times regular expressions on hostile text. An expression that takes quadratic time on what a stranger sends, or a
// provider answers, holds up the whole process.
import { createContext, Script } from "node:vm";
import { parseSync } from "@swc/core";
import { isProduct, type Place, type Tree } from "./rule.ts";

const LENGTH = 16_000;
/** For all texts together; a linear expression takes some milliseconds, a quadratic one seconds. */
const TIMEOUT_MS = 1_000;
/** One slow pass may be the machine's. */
const PASSES = 2;

const FILLINGS = ["1", "a", "A", "f", " ", ",", ".", "-", "/", "_", "\n", "é", "1,", " 1", "0x1"];
/** They follow a word of the expression, as far as its first repetition. */
const TAILS = ["1", "a", " "];

const EVALUATE = new Script("for (const text of texts) expression.test(text)");

interface Expression extends Place {
  pattern: string;
  flags: string;
}

/** The expressions that ship, and take too long. */
export function findSlowExpressions(tree: Tree): Place[] {
  const found = new Map<string, Expression>();
  for (const expression of tree.filter(({ path }) => isProduct(path)).flatMap(listExpressions)) {
    found.set(`${expression.pattern} ${expression.flags}`, expression);
  }
  return [...found.values()].filter(isSlow).map(({ path, line }) => ({ path, line }));
}

function listExpressions({ path, text }: Tree[number]): Expression[] {
  const found: Expression[] = [];
  function visit(node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    const { type, pattern, flags } = node as Record<string, string>;
    if (type === "RegExpLiteral" && pattern !== undefined && flags !== undefined) {
      const at = text.indexOf(`/${pattern}/`);
      found.push({ path, line: text.slice(0, at).split("\n").length, pattern, flags });
    }
    for (const child of Object.values(node)) visit(child);
  }

  visit(parseSync(text, { syntax: "typescript", tsx: /x$/.test(path) }).body);
  return found;
}

function isSlow({ pattern, flags }: Expression): boolean {
  const expression = new RegExp(pattern, flags.replace(/[gy]/g, ""));
  const context = createContext({ expression, texts: listHostileTexts(pattern) });
  for (let pass = 0; pass < PASSES; pass++) {
    try {
      EVALUATE.runInContext(context, { timeout: TIMEOUT_MS });
      return false;
    } catch {}
  }
  return true;
}

/** None of them matches to its end, so every way to match is tried. */
function listHostileTexts(pattern: string): string[] {
  const plain = pattern.replace(/\\[dDwWsSbB]/g, " ").replace(/\\/g, "");
  const words = plain.match(/[A-Za-z0-9]{2,} ?/g) ?? [];
  const repeated = [...new Set([...FILLINGS, ...words, ...plain])];
  const texts = repeated.map((filling) => filling.repeat(LENGTH / filling.length));
  const led = words.flatMap((word) => TAILS.map((tail) => word + tail.repeat(LENGTH)));
  return [...texts, ...led].map((text) => `${text}\u0001`);
}
