// The end of a connection whose request is answered while its body still arrives, for example a body without end. A
// connection that is closed with bytes unread is reset, and a client that is still sending then loses the answer. So
// the whole answer and the end of our side go out first, and the rest of the body is read and discarded until the
// client ends its side. Both are bounded: after DISCARD_BYTES_MAX bytes nothing more is read, so that the kernel
// makes the client wait, and after LINGER_MS the connection is closed in any case.
import type { IncomingMessage, ServerResponse } from "node:http";
import { BODY_BYTES_MAX } from "./read-body.ts";

const DISCARD_BYTES_MAX = 1024 * 1024;
const LINGER_MS = 2_000;

/** A rest within the bound of a body is left to Node, which reads it and keeps the connection. */
export function isLargeRestComing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return (
    headers["transfer-encoding"] !== undefined ||
    Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX
  );
}

export function endAfterRest(response: ServerResponse, bytes: Buffer): void {
  const { req: request } = response;
  let discarded = 0;
  function discard(chunk: Buffer): void {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES_MAX) request.pause();
  }

  function end(): void {
    response.end();
  }

  response.setHeader("Connection", "close");
  // With its length in a header the answer is complete for the client; the response itself ends with the connection.
  response.write(bytes);
  request.socket.end();
  const linger = setTimeout(end, LINGER_MS);
  request.on("data", discard);
  request.once("end", end);
  response.once("close", () => clearTimeout(linger));
}
