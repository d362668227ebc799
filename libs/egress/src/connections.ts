// Connections to receivers, one undici client each. Every connection is vetted when it is made: a literal address by
// itself, a name by all addresses it has (one forbidden address refuses the name), and once more by the address the
// socket really reached, before a byte of TLS leaves. A connection older than a minute is not used again, so that a
// name which has moved meanwhile is looked at anew. Through a proxy the address that was vetted is what the proxy gets.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { buildConnector, Client } from "undici";
import { EgressFault } from "./faults.ts";
import type { Policy } from "./policy.ts";
import type { Resolve } from "./resolver.ts";
import { type ConnectProxy, openTunnel } from "./tunnel.ts";

const AGE_MAX_MS = 60_000;
const IDLE_MS = 20_000;
const IDLE_MAX = 4_000;
/**
 * How long one address of a name may take before the next one is tried. Node's own 250 ms would abandon every receiver
 * that is farther away than that, except by its last address.
 */
const ADDRESS_TIMEOUT_MS = 2_500;

export interface Connection {
  readonly origin: string;
  readonly client: Client;
  /** The address of the socket in use; absent until there is one. */
  remoteAddress: string | undefined;
  openedAt: number;
  /** How many answers came over this socket; the peer may close one that was used before at any moment. */
  answers: number;
  destroy(): void;
}

export interface Connections {
  /** An idle connection to the origin, or a new one, which is made when it is first used. */
  take(origin: string): Connection;
  takeFresh(origin: string): Connection;
  giveBack(connection: Connection): void;
  close(): void;
}

export function createConnections(options: {
  policy: Policy;
  resolve: Resolve;
  ca?: string | undefined;
  proxy?: ConnectProxy | undefined;
  connectionAgeMaxMs?: number | undefined;
}): Connections {
  const { connectionAgeMaxMs = AGE_MAX_MS } = options;
  const open = createOpener(options);
  const all = new Set<Connection>();
  const idle = new Set<Connection>(); // oldest first
  const idleByOrigin = new Map<string, Connection[]>();

  function forget(connection: Connection) {
    all.delete(connection);
    if (!idle.delete(connection)) return;
    const siblings = idleByOrigin.get(connection.origin) ?? [];
    siblings.splice(siblings.indexOf(connection), 1);
    if (siblings.length === 0) idleByOrigin.delete(connection.origin);
  }

  function takeFresh(origin: string): Connection {
    const connection = createConnection(origin, open, forget);
    all.add(connection);
    // A client whose idle socket has closed would connect again without a request to send.
    connection.client.on("disconnect", () => {
      if (idle.has(connection)) connection.destroy();
    });
    return connection;
  }

  function take(origin: string): Connection {
    const siblings = idleByOrigin.get(origin) ?? [];
    for (let connection = siblings.pop(); connection !== undefined; connection = siblings.pop()) {
      idle.delete(connection);
      if (siblings.length === 0) idleByOrigin.delete(origin);
      if (performance.now() - connection.openedAt < connectionAgeMaxMs) return connection;
      connection.destroy();
    }
    return takeFresh(origin);
  }

  function giveBack(connection: Connection) {
    idle.add(connection);
    const siblings = idleByOrigin.get(connection.origin);
    if (siblings === undefined) idleByOrigin.set(connection.origin, [connection]);
    else siblings.push(connection);
    for (const oldest of idle) {
      if (idle.size <= IDLE_MAX) break;
      oldest.destroy();
    }
  }

  function close() {
    for (const connection of all) connection.destroy();
  }

  return { take, takeFresh, giveBack, close };
}

type Open = (connection: Connection, options: buildConnector.Options) => Opening;

/** A connection that is being made: its socket so far, and the finished one. */
interface Opening {
  cancel(): void;
  socket: Promise<Socket>;
}

function createConnection(
  origin: string,
  open: Open,
  forget: (connection: Connection) => void,
): Connection {
  let opening: Opening | undefined;
  const client = new Client(origin, {
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: AGE_MAX_MS,
    // The deadline of the caller bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      opening = open(connection, options);
      opening.socket.then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });
  const connection: Connection = {
    origin,
    client,
    remoteAddress: undefined,
    openedAt: 0,
    answers: 0,
    destroy: () => {
      forget(connection);
      opening?.cancel();
      client.destroy().catch(() => {});
    },
  };
  return connection;
}

function createOpener(options: {
  policy: Policy;
  resolve: Resolve;
  ca?: string | undefined;
  proxy?: ConnectProxy | undefined;
}): Open {
  const { policy, resolve, ca, proxy } = options;
  const upgrade = buildConnector({
    allowH2: false,
    timeout: 0,
    maxCachedSessions: 2_000,
    // One for all connections: making it costs more than half a handshake.
    secureContext: createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca === undefined ? {} : { ca }),
    }),
  });

  async function vetted(hostname: string): Promise<string[]> {
    const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
    if (addresses.every((address) => policy.permits(address, hostname))) return addresses;
    throw new EgressFault("refused_address");
  }

  function secured(socket: Socket, to: buildConnector.Options) {
    return new Promise<Socket>((resolveSocket, reject) => {
      upgrade({ ...to, httpSocket: socket }, (error, secure) =>
        error === null ? resolveSocket(secure) : reject(error),
      );
    });
  }

  return (connection, to) => {
    let tcp: Socket | undefined;
    const cancelled = new AbortController();
    async function reach(addresses: string[]): Promise<string> {
      if (proxy !== undefined) {
        const { signal } = cancelled;
        const tunnel = await openTunnel(proxy, { addresses, port: portOf(to), signal });
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
      Object.assign(connection, { remoteAddress, openedAt: performance.now(), answers: 0 });
      return to.protocol === "https:" ? secured(tcp, to) : tcp;
    }

    const socket = establish().catch((error: unknown) => {
      tcp?.destroy();
      throw error;
    });
    function cancel() {
      cancelled.abort();
      tcp?.destroy();
    }

    return { socket, cancel };
  };
}

function portOf({ port, protocol }: buildConnector.Options): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** Only the checked addresses can be reached, even when the name has other addresses by now. */
function dial(to: buildConnector.Options, addresses: string[]): Socket {
  return connectTcp({
    host: to.hostname,
    port: portOf(to),
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
