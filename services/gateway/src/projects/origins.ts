const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const ORIGIN = /^(https?):\/\/(\*\.)?([^/?#@*\s]+)\/?$/i;

/**
 * An origin in the form of browsers (lower case, no default port, no slash), or undefined for any other text. One
 * leading label may be a star; http is for the developer's own machine only.
 */
export function canonicalOrigin(text: string): string | undefined {
  const [, scheme, star = "", host = ""] = ORIGIN.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const url = URL.parse(`${scheme}://${host}`);
  if (url === null || url.pathname !== "/") return undefined;
  if (url.protocol === "http:" && !LOCAL_HOSTS.has(url.hostname)) return undefined;
  // A star directly below a top-level domain would admit pages of unrelated owners.
  if (star !== "" && (url.protocol !== "https:" || !/[^.]\.[^.\d]/.test(url.hostname))) {
    return undefined;
  }
  return `${url.protocol}//${star}${url.host}`;
}

/** Whether pages of this origin may call; an empty list admits all. */
export function allowsOrigin(allowed: readonly string[], origin: string): boolean {
  return allowed.length === 0 || allowed.some((pattern) => matches(pattern, origin));
}

function matches(pattern: string, origin: string): boolean {
  const [scheme, rest] = pattern.split("*");
  if (rest === undefined) return pattern === origin;
  return (
    origin.startsWith(scheme as string) &&
    origin.endsWith(rest) &&
    origin.length > pattern.length - 1
  );
}
