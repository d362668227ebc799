import { createServer as createTlsServer } from "node:tls";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  createAuthority,
  createMuteServer,
  type Receiver,
  startReceiver,
  until,
} from "@pay/testing";
import { createEgress, type Egress, type EgressOptions } from "../src/index.ts";

let receiver: Receiver;
let egress: Egress;

function open(options: EgressOptions = {}): Egress {
  egress?.close();
  egress = createEgress({ allowHosts: ["localhost"], ca: receiver.ca, ...options });
  return egress;
}

beforeEach(async () => {
  receiver = await startReceiver();
  open();
});

afterEach(async () => {
  egress.close();
  await receiver.stop();
});

const HEADERS = ["Content-Type", "application/json", "X-Second", "2", "X-First", "1"];

function post(options: { url?: string; timeoutMs?: number; body?: Uint8Array } = {}) {
  const {
    url = `${receiver.url}/hook?a=1`,
    timeoutMs = 20_000,
    body = Buffer.from('{"ü":1}'),
  } = options;
  return egress.post({ url, headers: HEADERS, body, timeoutMs });
}

test("the body arrives byte for byte and headers in their order", async () => {
  const body = Buffer.from([0x7b, 0x22, 0xc3, 0xbc, 0x22, 0x3a, 0x31, 0x7d, 0x0a]);
  expect(await post({ body })).toMatchObject({ statusCode: 200, remoteAddress: "127.0.0.1" });
  const received = await receiver.next();
  expect(received).toMatchObject({ method: "POST", path: "/hook?a=1", body });
  expect(received.rawHeaders.filter((_, index) => index % 2 === 0)).toEqual([
    "host",
    "connection",
    "Content-Type",
    "X-Second",
    "X-First",
    "content-length",
  ]);
});

test.each([200, 201, 204, 299, 400, 404, 410, 429, 500, 503])(
  "status %d is what is reported",
  async (status) => {
    receiver.respondWith(status);
    expect(await post()).toMatchObject({ statusCode: status, complete: true });
  },
);

test("an early hint before the answer is not the answer", async () => {
  receiver.respondWith((_request, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.writeHead(200).end();
  });
  expect(await post()).toMatchObject({ statusCode: 200 });
});

test("Retry-After is reported and does not delay anything", async () => {
  receiver.respondWith({ status: 503, headers: { "retry-after": "3600" } });
  expect(await post()).toMatchObject({ statusCode: 503, retryAfter: "3600" });
});

test("no answer in time is a timeout, and its connection is not used again", async () => {
  receiver.respondWith(200, "hang", 200);
  // The connection is there before the short time begins, or a busy machine would spend it on the handshake.
  expect(await post()).toMatchObject({ statusCode: 200 });
  const late = await post({ timeoutMs: 2_000 });
  expect(late).toMatchObject({ fault: "timeout" });
  expect(late.durationMs).toBeGreaterThanOrEqual(1_999);
  expect(late.durationMs).toBeLessThan(8_000);
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(receiver.connections.opened).toBe(2);
});

test("an answer just in time counts", async () => {
  receiver.respondWith({ status: 200, delayMs: 1_000 });
  expect(await post({ timeoutMs: 10_000 })).toMatchObject({ statusCode: 200 });
});

test("a peer that accepts and never speaks TLS is a timeout", async () => {
  const mute = createMuteServer();
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const address = mute.address();
  const port = typeof address === "object" ? address?.port : 0;
  expect(await post({ url: `https://127.0.0.1:${port}/`, timeoutMs: 300 })).toMatchObject({
    fault: "timeout",
  });
  mute.close();
});

test("a body that drips frees the slot soon after the status", async () => {
  receiver.respondWith("drip");
  const answered = await post({ timeoutMs: 60_000 });
  expect(answered).toMatchObject({ statusCode: 200, complete: false });
  expect(answered.durationMs).toBeLessThan(20_000);
});

test("of an endless body only its beginning is read", async () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  let sent = 0;
  receiver.respondWith((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    function more() {
      if (response.destroyed || sent > 100 * 1024 * 1024) return;
      sent += chunk.length;
      response.write(chunk, () => setImmediate(more));
    }

    more();
  });
  const answered = await post();
  expect(answered).toMatchObject({ statusCode: 200, complete: false });
  expect("body" in answered && answered.body.length).toBe(16 * 1024);
  expect(sent).toBeLessThan(8 * 1024 * 1024);
});

test.each([
  ["reset", "connection_reset"],
  ["close", "connection_reset"],
  ["garbage", "bad_response"],
] as const)("a receiver that does %s gives %s, after one request", async (script, fault) => {
  receiver.respondWith(script);
  expect(await post()).toMatchObject({ fault });
  expect(receiver.all).toHaveLength(1);
});

test("headers beyond 16 KiB, and ten thousand of them, are a bad response", async () => {
  for (const count of [1, 10_000]) {
    const headers = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `x-${index}`,
        "v".repeat(count === 1 ? 65_536 : 10),
      ]),
    );
    receiver.respondWith({ status: 200, headers });
    expect(await post()).toMatchObject({ fault: "bad_response" });
  }
});

test("odd but legal answers are answers: HTTP/1.0, chunks with a trailer, bytes that are no text", async () => {
  function raw(text: string) {
    return receiver.respondWith((_request, response) => {
      response.socket?.end(Buffer.from(text, "latin1"));
    });
  }

  raw("HTTP/1.0 200 OK\r\n\r\nbye");
  expect(await post()).toMatchObject({ statusCode: 200 });
  raw("HTTP/1.1 202 Fine\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-End: 1\r\n\r\n");
  expect(await post()).toMatchObject({ statusCode: 202 });
  raw("HTTP/1.1 201 \xff\xfe\r\nX-Odd: \xff\xfe\xfd\r\nContent-Length: 0\r\n\r\n");
  expect(await post()).toMatchObject({ statusCode: 201 });
});

test("connections are kept and used again", async () => {
  for (let round = 0; round < 20; round++) expect(await post()).toMatchObject({ statusCode: 200 });
  expect(receiver.connections.opened).toBe(1);
});

test("a kept connection that its peer has closed costs nothing: the request is sent once more", async () => {
  receiver.respondWith(200, "reset", 200);
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(receiver.all).toHaveLength(3);
  expect(receiver.connections.opened).toBe(2);
});

test("a second reset in a row is the receiver's own", async () => {
  receiver.respondWith(200, "reset");
  await post();
  expect(await post()).toMatchObject({ fault: "connection_reset" });
  expect(receiver.all).toHaveLength(3);
});

test("cookies of an answer are not sent back", async () => {
  receiver.respondWith({ status: 200, headers: { "set-cookie": "a=1" } });
  await post();
  await post();
  expect(receiver.all.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
});

test("nothing listening is refused, with the address that was tried unknown to the caller", async () => {
  const { url } = receiver;
  await receiver.stop();
  expect(await post({ url })).toMatchObject({ fault: "connection_refused" });
});

test("certificates: expired, unknown authority and wrong name each have their class", async () => {
  const authority = createAuthority();
  const cases = [
    [
      authority.issue({ names: ["127.0.0.1"], notAfter: new Date(Date.now() - 60_000) }),
      "tls_expired",
    ],
    [createAuthority().issue({ names: ["127.0.0.1"] }), "tls_untrusted"],
    [authority.issue({ names: ["example.com"] }), "tls_hostname"],
  ] as const;
  open({ ca: authority.ca });
  for (const [certificate, fault] of cases) {
    const other = await startReceiver({ certificate });
    expect(await post({ url: other.url })).toMatchObject({ fault });
    expect(other.all).toHaveLength(0);
    await other.stop();
  }
});

test("a new connection goes on with the session of the one before, to the same receiver only", async () => {
  const authority = createAuthority();
  const reused: boolean[] = [];
  const certificate = authority.issue({ names: ["127.0.0.1"] });
  const servers = [1, 2].map(() =>
    createTlsServer(certificate, (socket) => {
      reused.push(socket.isSessionReused());
      socket.on("error", () => {});
      socket.on("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n"));
    }),
  );
  open({ ca: authority.ca, connectionAgeMaxMs: 0 });
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (let round = 0; round < 3; round++) {
      expect(await post({ url: `https://127.0.0.1:${port}/` })).toMatchObject({ statusCode: 204 });
    }
  }
  expect(reused).toEqual([false, true, true, false, true, true]);
  for (const server of servers) server.close();
});

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "with %s, a certificate of another name is refused each time",
  async (version) => {
    const authority = createAuthority();
    const server = createTlsServer({
      ...authority.issue({ names: ["example.com"] }),
      maxVersion: version,
    });
    server.on("tlsClientError", () => {});
    server.on("secureConnection", (socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    open({ ca: authority.ca });
    for (let round = 0; round < 3; round++) {
      expect(await post({ url: `https://127.0.0.1:${port}/` })).toMatchObject({
        fault: "tls_hostname",
      });
    }
    server.close();
  },
);

test("a receiver that knows only old versions of TLS is not spoken to", async () => {
  const authority = createAuthority();
  const old = createTlsServer({
    ...authority.issue({ names: ["127.0.0.1"] }),
    minVersion: "TLSv1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT@SECLEVEL=0",
  });
  old.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  const address = old.address();
  const port = typeof address === "object" ? address?.port : 0;
  open({ ca: authority.ca });
  expect(await post({ url: `https://127.0.0.1:${port}/` })).toMatchObject({
    fault: "tls_protocol",
  });
  old.close();
});

test("plain http where TLS is expected is a TLS fault", async () => {
  const plain = await startReceiver({ plain: true });
  expect(await post({ url: plain.url.replace("http:", "https:") })).toMatchObject({
    fault: "tls_protocol",
  });
  await plain.stop();
});

test("plain http goes out only where the operator allows it", async () => {
  const plain = await startReceiver({ plain: true });
  expect(await post({ url: plain.url })).toMatchObject({ fault: "refused_url" });
  open({ allowHttp: true });
  expect(await post({ url: plain.url })).toMatchObject({ statusCode: 200 });
  await plain.stop();
});

test("JSON is read whole or not at all", async () => {
  function get(timeoutMs = 20_000) {
    return egress.getJson({ url: `${receiver.url}/keys`, timeoutMs });
  }

  receiver.respondWith({ status: 200, body: '{"keys":[]}' });
  expect(await get()).toEqual({ statusCode: 200, json: { keys: [] } });
  receiver.respondWith({ status: 200, body: "<html>" });
  expect(await get()).toEqual({ fault: "bad_response" });
  receiver.respondWith({ status: 200, body: `"${"x".repeat(70_000)}"` });
  expect(await get()).toEqual({ fault: "bad_response" });
  receiver.respondWith("drip");
  expect(await get(300)).toEqual({ fault: "timeout" });
});

test("after close nothing stays connected", async () => {
  await post();
  egress.close();
  await until(() => receiver.connections.open === 0, { what: "the end of the connection" });
});
