import { Failure } from "@pay/failures";

const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** The parameters of a query string: each is known, present once and correctly encoded. */
export function parseQuery(text: string, known: ReadonlySet<string>): Record<string, string> {
  const query: Record<string, string> = {};
  if (text === "") return query;
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const shown = PLAIN_NAME.test(name) ? name : "query";
    if (!known.has(name)) {
      throw new Failure("query_malformed", `${shown} is not a parameter of this request`);
    }
    if (Object.hasOwn(query, name)) {
      throw new Failure("query_malformed", `${shown} must occur only once`);
    }
    query[name] = equals === -1 ? "" : decode(part.slice(equals + 1));
  }
  return query;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll("+", " "));
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // A broken escape and a NUL are refused alike.
  }
  throw new Failure("query_malformed", "query must be well-formed percent-encoded UTF-8");
}
