import { networkInterfaces } from "node:os";

type Interfaces = Record<string, readonly { family: string }[] | undefined>;

const EVERY = ["::", "0.0.0.0"];

/**
 * The address to listen on. `::` is every interface of the machine, over IPv6 and IPv4; where no interface has
 * IPv6 it may not be bound at all, and 0.0.0.0 is the same.
 */
export function hostToBind(host: string, interfaces: Interfaces = networkInterfaces()): string {
  const plain = host.replace(/^\[(.*)\]$/, "$1");
  if (plain !== "::") return plain;
  const hasIpv6 = Object.values(interfaces).some((all) =>
    all?.some(({ family }) => family === "IPv6"),
  );
  return hasIpv6 ? plain : "0.0.0.0";
}

/** host:port as a caller on this machine reaches what listens on the host. */
export function localAddress(host: string, port: number): string {
  return joinHostPort(EVERY.includes(host) ? "127.0.0.1" : host, port);
}

export function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
