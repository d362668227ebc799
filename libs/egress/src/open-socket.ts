// Sockets to receivers. Every one is vetted when it is made: a literal address by itself, a name by all addresses it
// has (one forbidden address refuses the name), and once more by the address the socket really reached, before a byte
// of TLS leaves. Through a proxy the address that was vetted is what the proxy gets.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { EgressFault } from "./faults.ts";
import type { Policy } from "./policy.ts";
import type { Resolve } from "./resolver.ts";
import { createSecurer } from "./secure.ts";
import { type ConnectProxy, openTunnel } from "./tunnel.ts";

/**
 * How long one address of a name may take before the next one is tried. Node's own 250 ms would abandon every receiver
 * that is farther away than that, except by its last address.
 */
const ADDRESS_TIMEOUT_MS = 2_500;

export interface Destination {
  protocol: string;
  /** With its port, where that is not the usual one. */
  host: string;
  /** IPv6 without brackets. */
  hostname: string;
  port: string;
}

/** A socket that is being made. */
export interface Opening {
  cancel(): void;
  opened: Promise<Socket>;
}

/** Tells the address of the receiver, also where a proxy is in between, once there is a connection to it. */
export type Open = (to: Destination, onReached: (remoteAddress: string) => void) => Opening;

export function parseDestination(origin: string): Destination {
  const { protocol, host, hostname, port } = new URL(origin);
  return { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

export function createOpener(options: {
  policy: Policy;
  resolve: Resolve;
  ca?: string | undefined;
  proxy?: ConnectProxy | undefined;
}): Open {
  const { policy, resolve, ca, proxy } = options;
  const secured = createSecurer(ca);

  async function vetted(hostname: string): Promise<string[]> {
    const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
    if (addresses.every((address) => policy.permits(address, hostname))) return addresses;
    throw new EgressFault("refused_address");
  }

  return (to, onReached) => {
    let tcp: Socket | undefined;
    const cancelled = new AbortController();
    async function reach(addresses: string[]): Promise<string> {
      if (proxy !== undefined) {
        const { signal } = cancelled;
        const tunnel = await openTunnel(proxy, { addresses, port: getPort(to), signal });
        tcp = tunnel.socket;
        return tunnel.address;
      }
      tcp = dial(to, addresses);
      await connected(tcp);
      const { remoteAddress } = tcp;
      if (remoteAddress === undefined) throw new EgressFault("connection_reset");
      return remoteAddress;
    }

    async function establish(): Promise<Socket> {
      const addresses = await vetted(to.hostname);
      if (cancelled.signal.aborted) throw new EgressFault("timeout");
      const remoteAddress = await reach(addresses);
      if (tcp === undefined || cancelled.signal.aborted) throw new EgressFault("timeout");
      if (!policy.permits(remoteAddress, to.hostname)) throw new EgressFault("refused_address");
      onReached(remoteAddress);
      return to.protocol === "https:" ? secured(tcp, to) : tcp;
    }

    const opened = establish().catch((error: unknown) => {
      tcp?.destroy();
      throw error;
    });
    function cancel() {
      cancelled.abort();
      tcp?.destroy();
    }

    return { opened, cancel };
  };
}

function getPort({ port, protocol }: Destination): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** Only the checked addresses can be reached, even when the name has other addresses by now. */
function dial(to: Destination, addresses: string[]): Socket {
  return connectTcp({
    host: to.hostname,
    port: getPort(to),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: (_hostname, { all }, answer) => {
      const records = addresses.map((address) => ({ address, family: isIP(address) }));
      const first = records[0];
      if (all) answer(null, records);
      else answer(null, first?.address ?? "", first?.family);
    },
  });
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    // It is not removed: later errors have a listener of their own, but one that comes before that must not be fatal.
    socket.on("error", reject);
    socket.once("connect", resolve);
    socket.once("close", () => reject(new EgressFault("connection_reset")));
  });
}
