import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import { splitLogged } from "./tracing/trace.ts";

export type Log = Logger;

/**
 * JSON lines. Callers log named fields; keys, secrets and bodies have no field here, and an error is cut down to
 * its type, message and stack, because libraries hang requests and addresses on their errors.
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: splitLogged },
    serializers: { err: describe, error: describe },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

interface Described {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: Described;
}

function describe(error: unknown, depth = 0): Described {
  if (!(error instanceof Error))
    return { type: typeof error, message: withoutAddresses(String(error)) };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: withoutAddresses(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: withoutAddresses(extractFrames(error.stack)) }),
    ...(cause === undefined || depth === 3 ? {} : { cause: describe(cause, depth + 1) }),
  };
}

function extractFrames(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 12)
    .join("\n");
}

const REASONS_MAX = 4;
const REASON_CHARS_MAX = 300;

/** Why something failed, in one line: what the error's causes say, the nearest first, without any address. */
export function describeCause(error: unknown): string {
  const reasons: string[] = [];
  let at = causeBehind(error) ?? error;
  while (at !== undefined && reasons.length < REASONS_MAX) {
    reasons.push(getReason(at));
    at = causeBehind(at);
  }
  return reasons.join(": ");
}

function causeBehind(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** A library that quotes the code at fault has the reason in the last line; some have it only in the code. */
function getReason(error: unknown): string {
  const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const text = message || code || String(error);
  return withoutAddresses(text.trim().split("\n").at(-1) ?? "").slice(0, REASON_CHARS_MAX);
}

// An address may carry a password or a provider's key in any of its parts, so none is kept but a file's.
function withoutAddresses(text: string): string {
  return text.replace(/\b(?!file:|node:)[a-z][a-z0-9+.-]*:\/\/[^\s"')]+/gi, "[address]");
}
