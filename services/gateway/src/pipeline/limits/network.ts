import { isIP } from "node:net";

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;
const MAPPED = /^(?:0:){5}ffff:/;
/** An address with its port and brackets is shorter. */
const LENGTH_MAX = 64;

/**
 * The client that an address counts as. Of IPv6 one client has at least a /64 to choose from, so that counts as one;
 * an IPv4
 * address counts as itself, in every form. All texts that are no addresses count as one client.
 */
export function toNetwork(text: string): string {
  const address = text.length > LENGTH_MAX ? "" : withoutPort(text);
  const kind = isIP(address);
  if (kind === 4) return address;
  if (kind === 0) return "unknown";
  const groups = splitGroups(address);
  if (MAPPED.test(groups.join(":"))) return dotted(groups);
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(":")}::/64`;
}

/** Some proxies name the port too: `[2001:db8::1]:443`, `192.0.2.1:443`. */
export function withoutPort(text: string): string {
  if (text.startsWith("[")) return text.slice(1, text.indexOf("]"));
  const colon = text.indexOf(":");
  return colon !== -1 && colon === text.lastIndexOf(":") ? text.slice(0, colon) : text;
}

/** The eight groups in lower case, without leading zeros. */
function splitGroups(address: string): string[] {
  const [plain = ""] = address.toLowerCase().split("%");
  const [head = [], tail] = inHex(plain)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":")));
  const left = GROUPS - head.length - (tail?.length ?? 0);
  const all = tail === undefined ? head : [...head, ...Array<string>(left).fill("0"), ...tail];
  return all.map((group) => Number.parseInt(group, 16).toString(16));
}

/** An address that ends like one of IPv4, `::ffff:192.0.2.1`, with that end in hex. */
function inHex(address: string): string {
  const start = address.lastIndexOf(":") + 1;
  const end = address.slice(start);
  if (!end.includes(".")) return address;
  const [a = 0, b = 0, c = 0, d = 0] = end.split(".").map(Number);
  return `${address.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function dotted(groups: readonly string[]): string {
  return groups
    .slice(-2)
    .flatMap((group) => {
      const number = Number.parseInt(group, 16);
      return [number >> 8, number & 255];
    })
    .join(".");
}
