import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import {
  type Answer,
  refusal,
  startTestGateway,
  type TestGateway,
  type TestProject,
} from "./gateway.ts";

describeWithPostgres("http", () => {
  let gateway: TestGateway;
  let impatient: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
    // Of its own: to all other requests a busy machine may give more time than this.
    impatient = await startTestGateway({
      bounds: { headersTimeoutMs: 1_500, requestTimeoutMs: 2_000 },
    });
    shop = await gateway.addProject();
  });
  afterAll(async () => {
    await gateway?.stop();
    await impatient?.stop();
  });

  function expectRefusal(answer: Answer, statusCode: number, error: string, message: string) {
    expect(answer.body).toEqual(refusal(statusCode, error, message));
    expect(answer.status).toBe(statusCode);
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers["x-error-code"]).toMatch(/^[a-z_]+$/);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  }

  test.each([
    ["GET", "/nothing"],
    ["GET", "/v1"],
    ["POST", "/v2/payments"],
    ["GET", "/v1/payments//"],
    ["GET", "/V1/payments"],
    ["GET", "/v1//payments"],
    ["PATCH", "/nowhere"],
  ])("%s %s is not found", async (method, path) => {
    expectRefusal(await gateway.ask(method, path), 404, "Not Found", "Not found");
  });

  test("the answer to a wrong method names the right ones", async () => {
    const answer = await gateway.ask("PATCH", "/v1/payments");
    expectRefusal(answer, 405, "Method Not Allowed", "Method not allowed");
    expect(answer.headers.allow).toBe("POST, GET, HEAD, OPTIONS");
  });

  test.each([
    ["a path that is no UTF-8", "/v1/payments/%E0%A4%A"],
    ["half an escape", "/v1/payments/%"],
  ])("%s is refused", async (_, path) => {
    const message = "path must be well-formed percent-encoded UTF-8";
    expectRefusal(await gateway.ask("GET", path), 400, "Bad Request", message);
  });

  test("HEAD is GET without the body", async () => {
    const headers = { "x-secret-key": shop.secret };
    const get = await gateway.ask("GET", "/v1/projects/me", { headers });
    const head = await gateway.ask("HEAD", "/v1/projects/me", { headers });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  });

  test.each([
    ["no HTTP at all", "HELLO\r\n\r\n"],
    [
      "two lengths of one body",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ["an unknown method", "FETCH / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a header with a line feed", "GET / HTTP/1.1\r\nHost: a\r\nX: a\nb\r\n\r\n"],
  ])("%s is answered as everything else, and the connection ends", async (_, text) => {
    const answer = await gateway.raw(text);
    expectRefusal(answer, 400, "Bad Request", "The request is not valid HTTP");
    expect(answer.headers.connection).toBe("close");
  });

  test("oversized headers are refused in the same form", async () => {
    const text = `GET / HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${"k".repeat(20_000)}\r\n\r\n`;
    const message = "Headers are too large";
    expectRefusal(await gateway.raw(text), 431, "Request Header Fields Too Large", message);
  });

  test.each([
    ["no Host", ""],
    ["two Hosts", "Host: a\r\nHost: b\r\n"],
  ])("%s is refused", async (_, hosts) => {
    const answer = await gateway.raw(
      `GET /v1/chains HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
    );
    expectRefusal(answer, 400, "Bad Request", "Host must occur exactly once");
  });

  test.each(["a b/@", "a:b", "[::1", ""])("the Host %p is refused", async (host) => {
    const answer = await gateway.raw(
      `GET /v1/chains HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expectRefusal(answer, 400, "Bad Request", "Host must be a name or an address, and a port");
  });

  test.each(["gzip, chunked", "identity, chunked"])(
    "a body with Transfer-Encoding %s is refused, and the connection ends",
    async (coding) => {
      const answer = await gateway.raw(
        `POST /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${shop.secret}\r\n` +
          `Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      );
      expectRefusal(answer, 400, "Bad Request", "Transfer-Encoding must be chunked");
      expect(answer.headers.connection).toBe("close");
    },
  );

  test("a client that is slow with its headers is cut off in time", async () => {
    const slow = Promise.all(
      Array.from({ length: 50 }, () => impatient.raw("GET /v1/chains HTTP/1.1\r\nHost: a\r\nX: ")),
    );
    // Other clients do not wait for them.
    expect((await impatient.ask("OPTIONS", "/v1/payments")).status).toBe(204);
    for (const answer of await slow) {
      expectRefusal(answer, 408, "Request Timeout", "The request took too long to arrive");
    }
  });

  test("a client that is slow with its body is cut off in time", async () => {
    const { secret } = await impatient.addProject();
    const answer = await impatient.raw(
      `POST /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${secret}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    expectRefusal(answer, 408, "Request Timeout", "The request took too long to arrive");
  });

  test("a body without end is refused, and the connection ends", async () => {
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const answer = await gateway.raw(
      `POST /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${shop.secret}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(18)}`,
    );
    expectRefusal(answer, 413, "Payload Too Large", "body must be at most 102400 bytes");
  });

  test("a client that reads the refusal of its body only after it sent much of it still gets the refusal", async () => {
    const [host, port] = gateway.address.split(":");
    const heard: Buffer[] = [];
    let sentBytes = 0;
    const socket = connect({ host: host ?? "", port: Number(port), allowHalfOpen: true });
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    function send(text: string): Promise<void> {
      return new Promise((resolve) => socket.write(text, () => resolve()));
    }

    await send(
      `POST /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${shop.secret}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    for (; sentBytes < 1_500_000; sentBytes += chunk.length) {
      await send(chunk);
      // The gateway shares this process: a round trip lets it read, and refuse, what was sent so far.
      await gateway.ask("GET", "/v1/chains");
    }
    socket.on("data", (bytes) => heard.push(bytes));
    function sendOn(): void {
      if (socket.destroyed) return;
      sentBytes += chunk.length;
      socket.write(chunk, () => setImmediate(sendOn));
    }

    sendOn();
    await closed;
    const text = Buffer.concat(heard).toString();
    expect(text).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
    expect(text.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(text).toMatch(/"message":"body must be at most 102400 bytes"[^\r\n]*}$/);
    // What the gateway discards, and what the buffers of both kernels hold.
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });

  test("a valid request id comes back, any other is replaced", async () => {
    async function getId(id: string) {
      return (await gateway.ask("GET", "/v1/chains", { headers: { "x-request-id": id } })).headers[
        "x-request-id"
      ];
    }

    expect(await getId("order-17.retry:2")).toBe("order-17.retry:2");
    for (const id of ["", "a b", "x".repeat(129), shop.secret, "ünïcode"]) {
      expect(await getId(id)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });

  /** Stops a gateway while it reads the body of a request, which arrives after `rest`. */
  async function stopDuring(own: TestGateway, rest: () => Promise<unknown>) {
    const { secret } = await own.addProject();
    const body = JSON.stringify({ name: "Late" });
    const head =
      `PUT /v1/projects/me HTTP/1.1\r\nHost: a\r\nX-Secret-Key: ${secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
    let stopping: Promise<unknown> | undefined;
    const answer = await own.raw(head, (heard) => {
      if (!heard.includes("100 Continue")) return undefined;
      stopping = own.stop();
      return rest().then(() => body);
    });
    await stopping;
    return answer;
  }

  test("a request that runs when the stop begins is answered, and its connection ends", async () => {
    const answer = await stopDuring(await startTestGateway(), async () => {});
    expect(answer).toMatchObject({ status: 200, body: { name: "Late" } });
    expect(answer.headers.connection).toBe("close");
  });

  test("a connection that was never used ends when the stop begins, before the requests under way do", async () => {
    const own = await startTestGateway();
    const [host = "", port] = own.address.split(":");
    const unused = connect({ host, port: Number(port) });
    await once(unused, "connect");
    const ended = once(unused.resume(), "close");
    expect(await stopDuring(own, () => ended)).toMatchObject({ status: 200 });
  });

  test("the error for a port that is taken is one sentence", async () => {
    const port = gateway.address.split(":")[1] ?? "";
    await expect(startTestGateway({ env: { PORT: port } })).rejects.toThrow(
      `port ${port} is taken by another program; set PORT to a free one`,
    );
  });
});
