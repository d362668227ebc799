// Bodies are read by hand: raw bytes up to a bound, never inflated. lingering-close.ts ends the connection of a body
// that is refused while it still arrives.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Failure } from "@pay/failures";

export const BODY_BYTES_MAX = 100 * 1024;
const EMPTY = Buffer.alloc(0);

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const REPORT_TYPES = new Set(["application/reports+json", "application/csp-report"]);
const CHARSETS = new Set(["", "charset=utf-8", 'charset="utf-8"']);

export function readBody(request: IncomingMessage): Promise<Buffer> {
  return readTyped(request, isJson, notJson);
}

/** The fields of a form that a page without script sends. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const bytes = await readTyped(request, (type) => type === FORM_TYPE, notForm);
  return new URLSearchParams(bytes.toString("utf8"));
}

/** What a browser reports by itself. */
export function readReport(request: IncomingMessage): Promise<Buffer> {
  return readTyped(request, (type) => REPORT_TYPES.has(type), notReport);
}

async function readTyped(
  request: IncomingMessage,
  isAccepted: (type: string) => boolean,
  unsupported: () => Failure,
): Promise<Buffer> {
  const { headers } = request;
  if (!announcesBody(headers)) return EMPTY;
  if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    throw new Failure("content_encoding_unsupported", "Content-Encoding must be identity");
  }
  const type = headers["content-type"];
  if (type !== undefined && !isAccepted(type)) throw unsupported();
  const body = await collect(request);
  if (type === undefined && body.length > 0) throw unsupported();
  return body;
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return (
    headers["transfer-encoding"] !== undefined ||
    (headers["content-length"] !== undefined && headers["content-length"] !== "0") ||
    // No body, but a client that names another type means to send one.
    headers["content-type"] !== undefined
  );
}

/** Each part is read once: an expression that may match spaces in two ways takes quadratic time for a long value. */
function isJson(type: string): boolean {
  if (type === JSON_TYPE) return true;
  const [name, ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
  const [charset = "", ...others] = parameters.filter((parameter) => parameter !== "");
  return name === JSON_TYPE && others.length === 0 && CHARSETS.has(charset);
}

function notJson() {
  return new Failure("content_type_unsupported", "Content-Type must be application/json in UTF-8");
}

function notForm() {
  return new Failure("content_type_unsupported", `Content-Type must be ${FORM_TYPE}`);
}

function notReport() {
  return new Failure("content_type_unsupported", "Content-Type must be that of browsers' reports");
}

function tooLarge(): Failure {
  return new Failure("payload_too_large", `body must be at most ${BODY_BYTES_MAX} bytes`);
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    function settle() {
      request.removeAllListeners("data");
      request.removeListener("end", onEnd);
    }

    function onEnd() {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    }

    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= BODY_BYTES_MAX) return;
      settle();
      reject(tooLarge());
    });
    request.on("end", onEnd);
    request.once("error", () => reject(new Failure("body_malformed", "body must be complete")));
  });
}
