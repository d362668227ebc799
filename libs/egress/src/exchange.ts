// One request on one connection, from its first byte until the answer is whole, cut, or a fault.
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { classifyFault, type FaultClass } from "./faults.ts";

export interface Target {
  origin: string;
  path: string;
}

export interface Exchange {
  method: "GET" | "POST";
  headers: string[];
  body: Uint8Array | null;
  bytesMax: number;
  /** Absent: the body has until the deadline. */
  bodyGraceMs?: number;
}

export interface Reply {
  statusCode: number;
  retryAfter: string | undefined;
  /** The beginning of the body, as much as the exchange asks for. */
  body: Buffer;
  /** False when there was more of the body, or it never ended. */
  complete: boolean;
}

/** Stale: the connection was kept from an earlier exchange, and its peer had closed it. */
export type Outcome = (Reply & { fault?: undefined }) | { fault: FaultClass; stale: boolean };

const NO_BYTES = Buffer.alloc(0);

/** The connection becomes idle again only when it can take another request. */
export function runExchange(options: {
  connections: Connections;
  connection: Connection;
  target: Target;
  exchange: Exchange;
  timeoutMs: number;
}): Promise<Outcome> {
  return new Promise((resolve) => {
    const { connections, connection, target, exchange, timeoutMs } = options;
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Pick<Reply, "statusCode" | "retryAfter"> | undefined;
    let settled = false;
    let timer = setTimeout(() => fail("timeout"), timeoutMs);

    function settle(outcome: Outcome, idleMs = 0) {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      connection.answers++;
      if (idleMs > 0) connections.giveBack(connection, idleMs);
      // Not from inside the parser's own call.
      else queueMicrotask(connection.destroy);
      resolve(outcome);
    }

    function fail(fault: FaultClass, isBegun = false) {
      const stale = fault === "connection_reset" && !isBegun && connection.answers > 0;
      return settle({ fault, stale });
    }

    function answer(complete: boolean, idleMs?: number) {
      if (head === undefined) return fail("bad_response");
      const body = size === 0 ? NO_BYTES : Buffer.concat(chunks, Math.min(size, exchange.bytesMax));
      settle({ ...head, body, complete }, idleMs);
    }

    function limitBody() {
      if (settled) return;
      clearTimeout(timer);
      timer = setTimeout(() => answer(false), exchange.bodyGraceMs);
    }

    const { method, headers, body } = exchange;
    connection.send(
      { method, path: target.path, headers, body },
      {
        onHead: ({ statusCode, retryAfter }) => {
          head = { statusCode, retryAfter };
          // Most answers are whole by then, and need no timer of their own.
          if (exchange.bodyGraceMs !== undefined) queueMicrotask(limitBody);
        },
        onBody: (bytes) => {
          if (settled) return;
          chunks.push(bytes);
          size += bytes.length;
          if (size > exchange.bytesMax) answer(false);
        },
        onEnd: (idleMs) => answer(true, idleMs),
        onFault: (error, isBegun) =>
          head === undefined ? fail(classifyFault(error), isBegun) : answer(false),
      },
    );
  });
}
