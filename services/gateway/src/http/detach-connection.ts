// An answer that goes on for minutes, of which a process has thousands. Node keeps for every connection what its next
// request needs: the parser, and the request and the response of the present one, with all that hangs on them. That
// is twice the memory of the connection itself. An answer that goes on needs none of it, so it is written to the
// connection.
//
// Node gives up the parser of a connection only where the client upgrades to another protocol. It looks at the
// request for that when the parser has returned, which is after the first synchronous part of the request's handling,
// so the request is marked there. Where a version of Node looks earlier, or another request waits behind this one,
// the parser stays and everything else is as described here.
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@pay/failures";

export interface DetachedResponse {
  readonly socket: Socket;
  /** A client of HTTP/1.0 gets the text as it is, until the connection ends. */
  readonly isChunked: boolean;
}

/** A request that asks for an upgrade is handled like any other: the product upgrades no connection. */
export const IGNORE_UPGRADES = { shouldUpgradeCallback: () => false };

/** Called before anything is awaited: this answer is the last of its connection, whatever it will be. */
export function detachParser(request: IncomingMessage, response: ServerResponse): void {
  Object.assign(request, { upgrade: true });
  response.shouldKeepAlive = false;
}

/** Takes over what Node did for connections that have left their parser. */
export function keepDetachedConnections(server: Server): void {
  server.on("upgrade", (_request, socket) => {
    // It is read so that its end is noticed, and what it still sends is of no use.
    socket.on("error", destroy).on("end", end).resume();
  });
}

function destroy(this: Socket): void {
  this.destroy();
}

function end(this: Socket): void {
  this.end();
}

/** Sends the head. From here on Node knows neither request nor response any more, and neither of them closes. */
export function detachResponse(
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): DetachedResponse {
  const { socket } = response;
  if (socket === null) {
    throw new Failure("http_malformed", "A stream must be the only request of its connection");
  }
  response.writeHead(200, headers);
  response.flushHeaders();
  response.detachSocket(socket);
  return { socket, isChunked: response.chunkedEncoding };
}

export function writePart({ socket, isChunked }: DetachedResponse, text: string): void {
  if (!socket.writable) return;
  socket.write(isChunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text);
}

export function endResponse({ socket, isChunked }: DetachedResponse): void {
  if (!socket.writable) return;
  socket.end(isChunked ? "0\r\n\r\n" : "");
  // Without waiting for the client to end its side.
  socket.destroySoon();
}
