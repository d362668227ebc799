// How long a client may hold a connection. The answer to a client that does not read stays in our memory, and a
// client that sends a cheap request now and then occupies one of the connections that we accept. All connections are
// checked once a second, so that a request costs nothing more.
import type { Server } from "node:http";
import type { Socket } from "node:net";

const LOOK_INTERVAL_MS = 1_000;
/** Time in which a client that has just connected sends its first request. */
const FIRST_REQUEST_MS = 1_000;

interface Bounds {
  /** Time a client has to take what waits for it. */
  responseTimeoutMs: number;
  /** Age at which the next answer is the last one. */
  ageMaxMs: number;
}

interface Held {
  sinceMs: number;
  /** When something was first seen to wait, if it still does. */
  waitingSinceMs: number | undefined;
}

export interface Connections {
  isOld(socket: Socket): boolean;
  /** Ends connections that were opened in advance and never used: the server itself does not count them as idle. */
  closeUnused(): void;
  /** Cuts off all of them: the server itself does not know those whose answer goes on. */
  closeAll(): void;
}

export function boundConnections(
  server: Server,
  { responseTimeoutMs, ageMaxMs }: Bounds,
): Connections {
  const open = new Map<Socket, Held>();
  const old = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { sinceMs: performance.now(), waitingSinceMs: undefined });
    socket.on("close", forget);
  });

  function forget(this: Socket): void {
    open.delete(this);
  }

  function look(): void {
    const nowMs = performance.now();
    for (const [socket, held] of open) {
      if (nowMs - held.sinceMs >= ageMaxMs) old.add(socket);
      if (socket.writableLength === 0) held.waitingSinceMs = undefined;
      else held.waitingSinceMs ??= nowMs;
      // A reset also frees the part of the answer that the kernel holds.
      if (nowMs - (held.waitingSinceMs ?? nowMs) >= responseTimeoutMs) socket.resetAndDestroy();
    }
  }

  const looking = setInterval(look, LOOK_INTERVAL_MS).unref();
  server.once("close", () => clearInterval(looking));
  return {
    isOld: (socket) => old.has(socket),
    closeUnused: () => {
      const nowMs = performance.now();
      for (const [socket, { sinceMs }] of open) {
        if (socket.bytesRead === 0 && nowMs - sinceMs >= FIRST_REQUEST_MS) socket.destroy();
      }
    },
    closeAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
