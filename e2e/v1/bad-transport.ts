// Faults below the level of requests: bytes that are not HTTP, messages that proxies can read in two ways, clients that
// never end. Each gets the same form of error, and then the connection is closed.
import { connect } from "node:net";
import { describe, expect, test } from "@jest/globals";
import type { Product } from "./product.ts";
import type { Side } from "./tenants.ts";

const ENDS_WITHIN_MS = 60_000;

interface Heard {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail where they are missing
  body: any;
  tookMs: number;
}

/** The last answer on a connection that says these bytes, and then more of them while it is listened to. */
function say(port: number, bytes: string | Buffer, more?: () => string | undefined) {
  return new Promise<Heard>((resolve, reject) => {
    const startedMs = performance.now();
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.write(bytes);
      pump();
    });
    function pump() {
      const next = more?.();
      if (next === undefined || socket.destroyed || !socket.writable) return;
      socket.write(next, () => setImmediate(pump));
    }

    socket.setTimeout(ENDS_WITHIN_MS, () => socket.destroy(new Error("the connection stays")));
    socket.on("data", (chunk) => chunks.push(chunk));
    // A client that is disconnected while it sends still receives the answer.
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (!["ECONNRESET", "EPIPE"].includes(error.code ?? "")) reject(error);
    });
    socket.once("close", () => resolve(heardFrom(Buffer.concat(chunks), startedMs)));
  });
}

function heardFrom(bytes: Buffer, startedMs: number): Heard {
  const tookMs = performance.now() - startedMs;
  const [head = "", body = ""] = bytes.toString().split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((each) => [
      each.slice(0, each.indexOf(":")).toLowerCase(),
      each.slice(each.indexOf(":") + 2),
    ]),
  );
  return {
    status: Number(line.split(" ")[1]),
    headers,
    body: body.startsWith("{") ? JSON.parse(body) : body,
    tookMs,
  };
}

const BROKEN: [string, string, number][] = [
  ["no HTTP at all", "HELLO\r\n\r\n", 400],
  ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n", 400],
  ["an unknown method", "BREW /v1/payments HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["an unknown version of HTTP", "GET /v1/payments HTTP/9.9\r\nHost: a\r\n\r\n", 400],
  ["no host", "GET /v1/payments HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  [
    "two hosts",
    "GET /v1/payments HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
    400,
  ],
  [
    "two lengths",
    "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    400,
  ],
  [
    "a length beside chunks",
    "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  [
    "chunks of another coding",
    "POST /v1/payments HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  [
    "a length below zero",
    "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    400,
  ],
  ["a bare line feed", "GET /v1/payments HTTP/1.1\nHost: a\nX: b\r\r\n\n", 400],
  ["a folded header", "GET /v1/payments HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\nY\r\n\r\n", 400],
  ["a header with NUL", "GET /v1/payments HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n", 400],
  ["a header's name with a space", "GET /v1/payments HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n", 400],
  [
    "large headers",
    `GET /v1/payments HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ["a long path", `GET /v1/${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
];

const ERRORS: Record<number, string> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Payload Too Large",
  431: "Request Header Fields Too Large",
};

export function describeTransport(world: () => { product: Product; side: Side }): void {
  function getPort() {
    return Number(new URL(world().product.credentials.baseUrl).port);
  }

  function expectRefusal({ status, headers, body }: Heard, statusCode: number) {
    expect({ status, body }).toEqual({
      status: statusCode,
      body: { statusCode, error: ERRORS[statusCode], message: expect.any(String) },
    });
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-request-id": expect.any(String),
      "x-error-code": expect.any(String),
    });
  }

  describe("the transport", () => {
    test.each(BROKEN)("refuses %s", async (_, bytes, statusCode) => {
      expectRefusal(await say(getPort(), Buffer.from(bytes, "latin1")), statusCode);
    });

    test("an endless body is refused and the connection closed", async () => {
      const { secret } = world().side;
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const head = `POST /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${secret}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expectRefusal(await say(getPort(), head, () => chunk), 413);
    });

    test("requests sent without waiting are answered in turn", async () => {
      const { secret } = world().side;
      function one(path: string, last = false) {
        return `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${secret}\r\n${last ? "Connection: close\r\n" : ""}\r\n`;
      }

      const chunks: Buffer[] = [];
      await new Promise<void>((resolve, reject) => {
        const socket = connect({ port: getPort(), host: "127.0.0.1" }, () =>
          socket.write(one("/v1/projects/me") + one("/v1/nothing") + one("/v1/payments", true)),
        );
        socket.setTimeout(ENDS_WITHIN_MS, () => socket.destroy(new Error("the connection stays")));
        socket.on("data", (chunk) => chunks.push(chunk));
        socket.once("error", reject).once("close", () => resolve());
      });
      const lines = Buffer.concat(chunks)
        .toString()
        .match(/HTTP\/1\.1 \d+/g);
      expect(lines).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
    });
  });
}
