import { z } from "zod";
import { buildRule, countCharacters } from "./field-rules.ts";

const METADATA = {
  keysMax: 50,
  keyLengthMax: 40,
  textLengthMax: 500,
  depthMax: 5,
  bytesMax: 8_192,
};

/** The merchant's own key/value map; any JSON inside, within bounds. */
export function metadata() {
  return z
    .custom<Record<string, unknown>>(isObject, buildRule("be an object"))
    .superRefine((value, context) => {
      const fault = metadataFault(value);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .meta({
      description: "Your own keys and values, returned as you sent them.",
      openapi: { type: "object", additionalProperties: {} },
    });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TOO_LARGE = `must be at most ${METADATA.bytesMax} bytes as JSON`;

function metadataFault(value: Record<string, unknown>): string | undefined {
  const { keysMax, bytesMax } = METADATA;
  if (Object.keys(value).length > keysMax) return `must have at most ${keysMax} keys`;
  return (
    innerFault(value, 1) ??
    (Buffer.byteLength(JSON.stringify(value)) > bytesMax ? TOO_LARGE : undefined)
  );
}

function innerFault(value: unknown, depth: number): string | undefined {
  const { keyLengthMax, textLengthMax, depthMax, bytesMax } = METADATA;
  if (typeof value === "string") {
    return countCharacters(value) > textLengthMax
      ? `must have strings of at most ${textLengthMax} characters`
      : undefined;
  }
  // JSON has no NaN: it stands for an integer that no number holds.
  if (Number.isNaN(value)) {
    return `must have integers beyond ${Number.MAX_SAFE_INTEGER} as strings`;
  }
  if (typeof value === "number" && !Number.isFinite(value)) return "must have finite numbers";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > depthMax) return `must be nested at most ${depthMax} levels deep`;
  const values = Array.isArray(value) ? value : Object.values(value);
  // Each is a character and a comma at least, so a list that is too long is not looked into.
  if (values.length * 2 > bytesMax) return TOO_LARGE;
  if (values !== value && Object.keys(value).some((key) => countCharacters(key) > keyLengthMax)) {
    return `must have keys of at most ${keyLengthMax} characters`;
  }
  for (const inner of values) {
    const fault = innerFault(inner, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
