// Bodies are read by hand: raw bytes up to a bound, never inflated. What comes after the bound is thrown away
// for a while, so that the client can still read the refusal; a client that goes on is cut off.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Failure } from "@pay/rpc";

const BODY_BYTES_MAX = 100 * 1024;
const DISCARD_BYTES_MAX = 1024 * 1024;
const EMPTY = Buffer.alloc(0);

const CONTENT_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?;? *$/i;

export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const { headers } = request;
  if (!announcesBody(headers)) return EMPTY;
  if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) throw tooLarge(request);
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    throw new Failure("unsupported_media_type", "Content-Encoding must be identity");
  }
  const type = headers["content-type"];
  if (type !== undefined && !CONTENT_TYPE.test(type)) throw notJson();
  const body = await collect(request);
  if (type === undefined && body.length > 0) throw notJson();
  return body;
};

const announcesBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined ||
  (headers["content-length"] !== undefined && headers["content-length"] !== "0") ||
  // No body, but a client that names another type means to send one.
  headers["content-type"] !== undefined;

const notJson = () =>
  new Failure("unsupported_media_type", "Content-Type must be application/json in UTF-8");

const tooLarge = (request: IncomingMessage): Failure => {
  let discarded = 0;
  request.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES_MAX) request.destroy();
  });
  return new Failure("payload_too_large", `body must be at most ${BODY_BYTES_MAX} bytes`);
};

const collect = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = () => {
      request.removeAllListeners("data");
      request.removeListener("end", onEnd);
    };
    const onEnd = () => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= BODY_BYTES_MAX) return;
      settle();
      reject(tooLarge(request));
    });
    request.on("end", onEnd);
    request.once("error", () => reject(new Failure("invalid_argument", "body must be complete")));
  });
