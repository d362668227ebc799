import { Failure } from "@pay/failures";

/**
 * The known parameters of a query string, each present once, and the names of others. All are correctly encoded. A list
 * may also come as one parameter a value, as many clients write it.
 */
export function parseQuery(
  text: string,
  { names, lists }: { names: ReadonlySet<string>; lists: ReadonlySet<string> },
): { known: Record<string, string>; unknown: string[] } {
  const query: Record<string, string> = {};
  const others = new Set<string>();
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? "" : decode(part.slice(equals + 1));
    if (!names.has(name)) {
      others.add(name);
      continue;
    }
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    if (before !== undefined && !lists.has(name)) {
      throw new Failure("query_malformed", `${name} must occur only once`);
    }
    query[name] = before === undefined ? value : `${before},${value}`;
  }
  return { known: query, unknown: [...others] };
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
