// Which addresses may be called. Only global unicast passes; every range that reaches our own network, a cloud's
// metadata service or nothing at all is refused. IPv6 forms that carry an IPv4 address inside are judged by the
// inside where a translator would unpack it, and refused where one might.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.parse>;
export type Range = [Address, number];

export function parseRange(text: string): Range {
  return text.includes("/") ? ipaddr.parseCIDR(text) : hostRange(ipaddr.parse(text));
}

function hostRange(address: Address): Range {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

const FORBIDDEN_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // a cloud's internal service on a public number
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(parseRange);

// Global unicast is 2000::/3, so whatever lies outside needs no line of its own: unspecified, loopback, unique
// local, link-local, multicast, discard and segment routing.
const GLOBAL_V6 = parseRange("2000::/3");
const FORBIDDEN_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(parseRange);
const ASSIGNED_V6 = [
  "2001:1::1/128",
  "2001:1::2/128",
  "2001:1::3/128",
  "2001:3::/32",
  "2001:4:112::/48",
  "2001:20::/28",
  "2001:30::/28",
].map(parseRange);

// Both forms hold an IPv4 address in their last 32 bits and are opened by the host or by a NAT64 gateway.
const CARRIERS = ["::ffff:0:0/96", "64:ff9b::/96"].map(parseRange);

const LOOPBACK = ["127.0.0.0/8", "::1/128"].map(parseRange);

/** The address, with an IPv4 inside brought out; undefined for anything that is not written canonically. */
function parse(text: string): Address | undefined {
  // A zone id, or a spelling only the lenient parser knows (0x7f.1), is no address here.
  if (isIP(text) === 0 || text.includes("%")) return undefined;
  const address = ipaddr.parse(text);
  if (address.kind() === "ipv4" || !isWithin(address, CARRIERS)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(12));
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
}

export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined) return false;
  if (address.kind() === "ipv4") return !isWithin(address, FORBIDDEN_V4);
  if (!isWithin(address, [GLOBAL_V6])) return false;
  return isWithin(address, ASSIGNED_V6) || !isWithin(address, FORBIDDEN_V6);
}

export function isLoopback(text: string): boolean {
  return isInRanges(text, LOOPBACK);
}

export function isInRanges(text: string, ranges: readonly Range[]): boolean {
  const address = parse(text);
  return address !== undefined && isWithin(address, ranges);
}
