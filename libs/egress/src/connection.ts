// A connection to a receiver: made when its first request is there, and used for one request after the other.
import { type Open, type Opening, parseDestination } from "./open-socket.ts";
import { type AnswerHandler, createWire, type Wire, type WireRequest } from "./wire.ts";

export interface Connection {
  readonly origin: string;
  /** The address of the socket in use; absent until there is one. */
  remoteAddress: string | undefined;
  /** Monotonic time from which it takes no further request. */
  usedUntil: number;
  /** How many answers came over this socket; the peer may close one that was used before at any moment. */
  answers: number;
  /** Monotonic time until which it may wait for its next request. */
  idleUntil: number;
  send(request: WireRequest, handler: AnswerHandler): void;
  destroy(): void;
}

export function createConnection(
  origin: string,
  options: {
    open: Open;
    ageMaxMs: number;
    /** Calls back when what has arrived by now is read. */
    afterReads: (act: () => void) => void;
    onGone: (connection: Connection) => void;
  },
): Connection {
  const { open, ageMaxMs, afterReads, onGone } = options;
  const to = parseDestination(origin);
  let opening: Opening | undefined;
  let wire: Wire | undefined;
  let isDestroyed = false;

  async function openFor(request: WireRequest, handler: AnswerHandler) {
    try {
      opening = open(to, (remoteAddress) =>
        Object.assign(connection, { remoteAddress, usedUntil: performance.now() + ageMaxMs }),
      );
      const socket = await opening.opened;
      if (isDestroyed) return void socket.destroy();
      wire = createWire(socket, { host: to.host, onClosed: connection.destroy });
      wire.send(request, handler);
    } catch (error) {
      handler.onFault(error, false);
    }
  }

  const connection: Connection = {
    origin,
    remoteAddress: undefined,
    usedUntil: 0,
    answers: 0,
    idleUntil: 0,
    send: (request, handler) => {
      const ready = wire;
      if (ready === undefined) void openFor(request, handler);
      else afterReads(() => ready.send(request, handler));
    },
    destroy: () => {
      isDestroyed = true;
      onGone(connection);
      opening?.cancel();
      wire?.destroy();
    },
  };
  return connection;
}
