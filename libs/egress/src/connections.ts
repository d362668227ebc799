// Connections to receivers, kept between requests. One that is older than a minute at most is not used again, so that a
// name which has moved meanwhile is looked at anew, and vetted as open-socket.ts says.
import { type Connection, createConnection } from "./connection.ts";
import { createOpener } from "./open-socket.ts";
import type { Policy } from "./policy.ts";
import type { Resolve } from "./resolver.ts";
import type { ConnectProxy } from "./tunnel.ts";

const AGE_MAX_MS = 60_000;
const IDLE_MAX = 4_000;
const SWEEP_EVERY_MS = 100;
/**
 * Closing a TLS connection takes a part of a millisecond: hundreds at once, after a burst, would hold up all requests.
 */
const SWEEP_MAX = 10;

export interface Connections {
  /** An idle connection to the origin, or a new one, which is made when it is first used. */
  take(origin: string): Connection;
  takeFresh(origin: string): Connection;
  /** It may wait this long for its next request. */
  giveBack(connection: Connection, idleMs: number): void;
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
  const afterReads = createAfterReads();
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
    // Connections that were opened together are not renewed together: handshakes would delay all other requests.
    const ageMaxMs = connectionAgeMaxMs * (1 - Math.random() / 2);
    const connection = createConnection(origin, { open, ageMaxMs, afterReads, onGone: forget });
    all.add(connection);
    return connection;
  }

  function take(origin: string): Connection {
    const siblings = idleByOrigin.get(origin) ?? [];
    for (let connection = siblings.pop(); connection !== undefined; connection = siblings.pop()) {
      idle.delete(connection);
      if (siblings.length === 0) idleByOrigin.delete(origin);
      const now = performance.now();
      if (now < connection.usedUntil && now < connection.idleUntil) return connection;
      connection.destroy();
    }
    return takeFresh(origin);
  }

  function giveBack(connection: Connection, idleMs: number) {
    connection.idleUntil = performance.now() + idleMs;
    idle.add(connection);
    const siblings = idleByOrigin.get(connection.origin);
    if (siblings === undefined) idleByOrigin.set(connection.origin, [connection]);
    else siblings.push(connection);
    for (const oldest of idle) {
      if (idle.size <= IDLE_MAX) break;
      oldest.destroy();
    }
  }

  const sweeper = setInterval(() => {
    const now = performance.now();
    let left = SWEEP_MAX;
    for (const connection of idle) {
      if (now < connection.idleUntil) continue;
      connection.destroy();
      if (--left === 0) break;
    }
  }, SWEEP_EVERY_MS).unref();

  function close() {
    clearInterval(sweeper);
    for (const connection of all) connection.destroy();
  }

  return { take, takeFresh, giveBack, close };
}

/**
 * Calls back when what has arrived by now is read: bytes or the end of a connection that is about to be used again. One
 * turn for all that ask at once.
 */
function createAfterReads(): (act: () => void) => void {
  let waiting: (() => void)[] = [];
  return (act) => {
    if (waiting.push(act) > 1) return;
    setImmediate(() => {
      const due = waiting;
      waiting = [];
      for (const one of due) one();
    });
  };
}
