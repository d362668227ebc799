// Which URLs may be called, decided on the parsed form only: what is stored and sent is the canonical spelling,
// never the text that came in. Names are judged here; the addresses they lead to are judged at each connection.
import { isIP } from "node:net";
import { isInRanges, isLoopback, isPublicAddress, parseRange, type Range } from "./address.ts";

export interface PolicyOptions {
  /** Lets 127.0.0.0/8, ::1 and localhost through. */
  allowLoopback?: boolean;
  /** Lets http through, to hosts that are only allowed by the two other options. */
  allowHttp?: boolean;
  /** The operator's own exceptions: host names, addresses and CIDR ranges. */
  allowHosts?: readonly string[];
  /** Names of this service itself, which would call back into it. */
  ownHosts?: readonly string[];
}

/** The canonical URL, or why it is refused as the end of a sentence: "callbackUrl must use https". */
export type Verdict = { url: string; refused?: undefined } | { refused: string; url?: undefined };

export interface Policy {
  check(raw: string): Verdict;
  /** Whether this address may be called under this name. */
  permits(address: string, hostname: string): boolean;
  /** Whether the operator vouches for this name, wherever it leads. */
  trusts(hostname: string): boolean;
}

const URL_LENGTH_MAX = 2_048;
// Well-known ports of stores, brokers and control planes, none of which a webhook receiver listens on.
const PORTS_DENIED = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 5432, 5672, 5984, 6379, 6443, 8500, 9042,
  9092, 9200, 9300, 10250, 10255, 11211, 15672, 27017,
]);
const PRIVATE_SUFFIXES = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "svc",
  "arpa",
  "onion",
];

const REFUSED = {
  tooLong: `must be at most ${URL_LENGTH_MAX} characters`,
  spelling: "must not contain white space, control characters or backslashes",
  notUrl: "must be an absolute https URL",
  scheme: "must use https",
  credentials: "must not contain a user name or password",
  fragment: "must not contain a fragment",
  host: "must name a public host",
  port: "must use port 443 or a port above 1023 that is not reserved for other services",
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN_CHARACTERS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/i;

export const createPolicy = (options: PolicyOptions = {}): Policy => {
  const { allowLoopback = false, allowHttp = false } = options;
  const { names, ranges } = sortExceptions(options.allowHosts ?? []);
  const own = new Set(options.ownHosts?.map((host) => host.toLowerCase()));

  const trusts = (hostname: string) => names.has(hostname);
  const permits = (address: string, hostname: string) =>
    isPublicAddress(address) ||
    (allowLoopback && isLoopback(address)) ||
    trusts(hostname) ||
    isInRanges(address, ranges);

  /** Allowed by the operator alone, so that http and private names are none of our business. */
  const isExcepted = (hostname: string) =>
    trusts(hostname) ||
    (isIP(hostname) === 0
      ? allowLoopback && isLocalName(hostname)
      : (allowLoopback && isLoopback(hostname)) || isInRanges(hostname, ranges));

  const check = (raw: string): Verdict => {
    const spelling = spellingFault(raw);
    if (spelling !== undefined) return { refused: spelling };
    const url = URL.parse(raw);
    if (url === null) return { refused: REFUSED.notUrl };
    if (url.href.length > URL_LENGTH_MAX) return { refused: REFUSED.tooLong };
    const hostname = bareHostname(url);
    const excepted = isExcepted(hostname);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && allowHttp && excepted)) {
      return { refused: REFUSED.scheme };
    }
    if (!excepted && (own.has(hostname) || !isPublicName(hostname))) {
      return { refused: REFUSED.host };
    }
    if (!trusts(hostname) && !isUsualPort(url)) return { refused: REFUSED.port };
    return { url: url.href };
  };

  return { check, permits, trusts };
};

/** A URL's host as sockets and resolvers want it: IPv6 without brackets. */
export const bareHostname = (url: URL): string =>
  url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;

export const isLocalName = (hostname: string): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost");

// The parser forgives much of this by cleaning it up; a text that needed cleaning is not what its writer thinks.
const spellingFault = (raw: string): string | undefined => {
  if (raw.length > URL_LENGTH_MAX) return REFUSED.tooLong;
  if (!raw.isWellFormed() || FORBIDDEN_CHARACTERS.test(raw)) return REFUSED.spelling;
  const [, scheme, authority] = ABSOLUTE.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined) return REFUSED.notUrl;
  if (!/^https?$/i.test(scheme)) return REFUSED.scheme;
  if (authority.includes("@")) return REFUSED.credentials;
  if (raw.includes("#")) return REFUSED.fragment;
  return undefined;
};

const isPublicName = (hostname: string): boolean => {
  const labels = hostname.split(".");
  if (isIP(hostname) !== 0 || hostname.length > 253 || labels.length < 2) return false;
  if (labels.some((label) => label.length === 0 || label.length > 63)) return false;
  return !PRIVATE_SUFFIXES.includes(labels.at(-1) ?? "");
};

const isUsualPort = (url: URL): boolean => {
  if (url.port === "") return true; // 443, or 80 where http passed
  const port = Number(url.port);
  return port > 1_023 && !PORTS_DENIED.has(port);
};

const sortExceptions = (entries: readonly string[]): { names: Set<string>; ranges: Range[] } => {
  const names = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    if (isIP(entry.split("/")[0] ?? "") === 0) names.add(entry.toLowerCase());
    else ranges.push(parseRange(entry));
  }
  return { names, ranges };
};
