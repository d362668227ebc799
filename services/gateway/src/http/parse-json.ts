import { Failure } from "@pay/failures";

// JSON as this interface accepts it: UTF-8 only, one object, every field once. What JSON.parse would silently change
// (a repeated key, a number it cannot hold, a half character) is refused here, before anything is built from it.
const DEPTH_MAX = 8;
// More than any request needs; the time to validate the values grows with their number.
const VALUES_MAX = 5_000;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const INTEGER = /^(0|-?[1-9][0-9]*)$/;
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
const NUMBER = /[-+.eE0-9]+/y;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function refuse(message: string): never {
  throw new Failure("body_malformed", message);
}

/**
 * The object in the bytes. An integer that no number holds arrives as NaN, and so does a top-level number that is no
 * plainly
 * written integer. The field that takes it refuses it by its name; a field that no route knows is ignored, whatever
 * it has.
 */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decode(bytes);
  const { notIntegers, areHeld } = scan(text);
  const value = areHeld ? parse(text) : parse(text, withoutUnheld);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("body must be a JSON object");
  }
  const fields = value as Record<string, unknown>;
  for (const name of notIntegers) fields[name] = Number.NaN;
  // Half characters and NUL can only be written as escapes: the bytes are whole UTF-8 by now.
  if (text.includes("\\u"))
    for (const [name, field] of Object.entries(fields)) inspect(name, field);
  return fields;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return refuse("body must be valid UTF-8");
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function parse(text: string, reviver?: Reviver): unknown {
  try {
    // The types of TypeScript's library do not know the third argument yet.
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]);
  } catch {
    return refuse("body must be valid JSON");
  }
}

function isHeld(number: string): boolean {
  return !INTEGER.test(number) || Number.isSafeInteger(Number(number));
}

function withoutUnheld(_: string, value: unknown, { source = "" }: { source?: string }): unknown {
  return typeof value === "number" && !isHeld(source) ? Number.NaN : value;
}

/** User text in a message only where it looks like a field's name. */
function shown(name: string): string {
  return PLAIN_NAME.test(name) ? name : "body";
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const ARRAY_START = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;

interface Numbers {
  /**
   * The top-level fields whose number is not written as an integer: 1.0, 1e3 and -0 are no chain ids, whatever they
   * parse to.
   */
  notIntegers: string[];
  /** False where an integer would become another one. */
  areHeld: boolean;
}

/** One pass over the text without building anything; broken JSON is left to the parser. */
function scan(text: string): Numbers {
  // One entry per open level: the keys of an object so far, nothing for an array.
  const levels: (Set<string> | undefined)[] = [];
  const numbers: Numbers = { notIntegers: [], areHeld: true };
  let topKey = "";
  let keyNext = false;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const keys = keyNext ? levels.at(-1) : undefined;
      if (keys !== undefined) {
        const key = addKey(keys, text.slice(at, end + 1));
        if (levels.length === 1) topKey = key;
      }
      keyNext = false;
      at = end;
    } else if (code === OBJECT_START || code === ARRAY_START) {
      if (levels.length === DEPTH_MAX) {
        refuse(`body must not be nested deeper than ${DEPTH_MAX} levels`);
      }
      keyNext = code === OBJECT_START;
      levels.push(keyNext ? new Set() : undefined);
    } else if (code === OBJECT_END || code === ARRAY_END) {
      levels.pop();
      keyNext = false;
    } else if (code === COMMA) {
      if (++commas === VALUES_MAX) refuse(`body must have at most ${VALUES_MAX} values`);
      keyNext = levels.at(-1) !== undefined;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const number = numberAt(text, at);
      if (!isHeld(number)) numbers.areHeld = false;
      if (levels.length === 1 && !INTEGER.test(number)) numbers.notIntegers.push(topKey);
      at += number.length - 1;
    }
  }
  return numbers;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return refuse("body must be valid JSON");
}

function addKey(keys: Set<string>, quoted: string): string {
  const key = quoted.includes("\\") ? String(parse(quoted)) : quoted.slice(1, -1);
  if (FORBIDDEN_KEYS.has(key)) refuse(`body must not contain the key ${key}`);
  if (keys.has(key)) refuse(`${shown(key)} must occur only once`);
  keys.add(key);
  return key;
}

function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)?.[0] ?? "";
}

function inspect(name: string, value: unknown): void {
  if (typeof value === "string") {
    if (value.includes("\0")) refuse(`${shown(name)} must not contain NUL characters`);
    if (!value.isWellFormed()) refuse(`${shown(name)} must not contain unpaired surrogates`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      inspect(name, key);
      inspect(name, inner);
    }
  }
}
