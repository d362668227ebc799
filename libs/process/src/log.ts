import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type Log = Logger;

/**
 * JSON lines. Callers log named fields; keys, secrets and bodies have no field here, and an error is cut down to
 * its type, message and stack, because libraries hang requests and addresses on their errors.
 */
export const createLog = (service: string, level: string, destination?: DestinationStream): Log => {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describe, error: describe },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
};

interface Described {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: Described;
}

const describe = (error: unknown, depth = 0): Described => {
  if (!(error instanceof Error))
    return { type: typeof error, message: withoutAddresses(String(error)) };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: withoutAddresses(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: withoutAddresses(framesOf(error.stack)) }),
    ...(cause === undefined || depth === 3 ? {} : { cause: describe(cause, depth + 1) }),
  };
};

const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 12)
    .join("\n");

// An address may carry a password or a provider's key in any of its parts, so none is kept but a file's.
const withoutAddresses = (text: string): string =>
  text.replace(/\b(?!file:|node:)[a-z][a-z0-9+.-]*:\/\/[^\s"')]+/gi, "[address]");
