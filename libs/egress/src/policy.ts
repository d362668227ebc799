// Which URLs may be called, decided on the parsed form only: what is stored and sent is the canonical spelling,
// never the text that came in. Names are judged here; the addresses they lead to are judged at each connection.
import { isIP } from "node:net";
import { isInRanges, isLoopback, isPublicAddress, parseRange, type Range } from "./address.ts";

export interface PolicyOptions {
  /** Allows http to hosts that only the next option allows. */
  allowHttp?: boolean;
  /** The operator's own exceptions: names, addresses and CIDR ranges. localhost stands for 127.0.0.0/8 and ::1 too. */
  allowHosts?: readonly string[];
  /** Addresses and CIDR ranges that are never called, although they are public; no other option allows them. */
  denyRanges?: readonly string[];
  /** Names of this service itself, which would call back into it. */
  ownHosts?: readonly string[];
}

/** The canonical URL, or why it is refused as the end of a sentence: "callbackUrl must use https". */
export type Verdict = { url: string; refused?: undefined } | { refused: string; url?: undefined };

export interface Policy {
  check(raw: string): Verdict;
  /** Whether this address may be called under this name. */
  permits(address: string, hostname: string): boolean;
  /** Whether the operator allows this name with any address. */
  trusts(hostname: string): boolean;
}

const URL_LENGTH_MAX = 2_048;
// Well-known ports of stores, brokers and control planes, none of which a webhook receiver listens on.
const PORTS_DENIED = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 5432, 5672, 5984, 6379, 6443, 8500, 9042,
  9092, 9200, 9300, 10250, 10255, 11211, 15672, 27017,
]);
// Top-level domains that public DNS never delegates, and that private resolvers, Consul and Kubernetes use.
const PRIVATE_SUFFIXES = [
  "alt",
  "consul",
  "default",
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "mail",
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

/** Whether every host, address and range can be read. */
export function isPolicy(options: PolicyOptions): boolean {
  try {
    createPolicy(options);
    return true;
  } catch {
    return false;
  }
}

export function createPolicy(options: PolicyOptions = {}): Policy {
  const { allowHttp = false } = options;
  const { names, ranges } = sortExceptions(options.allowHosts ?? []);
  // Not a trusted name: whatever it resolves to must be this machine.
  const allowLoopback = names.delete("localhost");
  const own = new Set(options.ownHosts?.map((host) => host.toLowerCase()));

  function trusts(hostname: string) {
    return names.has(hostname);
  }

  const denied = (options.denyRanges ?? []).map(parseRange);

  function permits(address: string, hostname: string) {
    if (isInRanges(address, denied)) return false;
    return (
      isPublicAddress(address) ||
      (allowLoopback && isLoopback(address)) ||
      trusts(hostname) ||
      isInRanges(address, ranges)
    );
  }

  /** Allowed by the operator, who may use http and private names. */
  function isExcepted(hostname: string) {
    return (
      trusts(hostname) ||
      (isIP(hostname) === 0
        ? allowLoopback && isLocalName(hostname)
        : (allowLoopback && isLoopback(hostname)) || isInRanges(hostname, ranges))
    );
  }

  function check(raw: string): Verdict {
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
  }

  return { check, permits, trusts };
}

/** The host of a URL in the form for sockets and resolvers: IPv6 without brackets. */
function bareHostname(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

export function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

// The parser forgives much of this by cleaning it up; a text that needed cleaning is not what its writer thinks.
function spellingFault(raw: string): string | undefined {
  if (raw.length > URL_LENGTH_MAX) return REFUSED.tooLong;
  if (!raw.isWellFormed() || FORBIDDEN_CHARACTERS.test(raw)) return REFUSED.spelling;
  const [, scheme, authority] = ABSOLUTE.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined) return REFUSED.notUrl;
  if (!/^https?$/i.test(scheme)) return REFUSED.scheme;
  if (authority.includes("@")) return REFUSED.credentials;
  if (raw.includes("#")) return REFUSED.fragment;
  return undefined;
}

function isPublicName(hostname: string): boolean {
  const labels = hostname.split(".");
  if (isIP(hostname) !== 0 || hostname.length > 253 || labels.length < 2) return false;
  if (labels.some((label) => label.length === 0 || label.length > 63)) return false;
  return !PRIVATE_SUFFIXES.includes(labels.at(-1) ?? "");
}

function isUsualPort(url: URL): boolean {
  if (url.port === "") return true; // 443, or 80 where http passed
  const port = Number(url.port);
  return port > 1_023 && !PORTS_DENIED.has(port);
}

function sortExceptions(entries: readonly string[]): { names: Set<string>; ranges: Range[] } {
  const names = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    if (isIP(entry.split("/")[0] ?? "") === 0) names.add(entry.toLowerCase());
    else ranges.push(parseRange(entry));
  }
  return { names, ranges };
}
