import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, expect, test } from "@jest/globals";
import { createTestRuntime, startTracing, traceAll } from "@pay/process";
import { PATIENCE_MS, startCollector } from "@pay/testing";
import { createEndpoint } from "../src/providers/endpoint.ts";
import { RpcError } from "../src/providers/rpc-error.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(act: RequestListener): Promise<number> {
  server = createServer(act);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Short only where the answer never comes: a busy machine answers all others late. */
function endpointAt(port: number, timeoutMs = PATIENCE_MS) {
  return createEndpoint({
    name: "provider 1 of chain 1",
    url: `http://user:pass-word@127.0.0.1:${port}/v2/secret-key`,
    timeoutMs,
    responseBytesMax: 1_000,
  });
}

async function catchFault(port: number, timeoutMs?: number): Promise<RpcError> {
  const endpoint = endpointAt(port, timeoutMs);
  try {
    await endpoint.call("eth_chainId", []);
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  } finally {
    endpoint.close();
  }
  throw new Error("it was answered");
}

test("a question is asked with its path and credentials, over one connection", async () => {
  const seen: { url: string | undefined; authorization: string | undefined; body: string }[] = [];
  let connections = 0;
  const port = await listen(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { url, headers } = request;
    seen.push({ url, authorization: headers.authorization, body });
    const { id } = JSON.parse(body) as { id: number };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
  });
  server?.on("connection", () => connections++);
  // The default closes a kept connection after 5 s, which may pass between two questions.
  if (server !== undefined) server.keepAliveTimeout = PATIENCE_MS;
  const endpoint = endpointAt(port);
  expect(await endpoint.call("eth_chainId", [])).toBe("0x1");
  expect(await endpoint.call("eth_getCode", ["0x00", "latest"])).toBe("0x1");
  endpoint.close();
  expect(connections).toBe(1);
  expect(seen[0]).toMatchObject({ url: "/v2/secret-key" });
  expect(seen[0]?.authorization).toMatch(/^Basic /);
  expect(JSON.parse(seen[1]?.body ?? "")).toEqual({
    jsonrpc: "2.0",
    id: 2,
    method: "eth_getCode",
    params: ["0x00", "latest"],
  });
});

test.each<[string, string, RequestListener]>([
  ["silence", "timeout", () => {}],
  ["an answer that trickles", "timeout", (_request, response) => void response.write("{")],
  ["a lost connection", "network", (request) => void request.socket.destroy()],
  [
    "a redirect",
    "http",
    (_request, response) => void response.writeHead(302, { location: "/" }).end(),
  ],
  ["too many requests", "busy", (_request, response) => void response.writeHead(429).end()],
  ["an error page", "http", (_request, response) => void response.writeHead(500).end("<html>")],
  ["no JSON", "malformed", (_request, response) => void response.end("hello")],
  ["a list", "malformed", (_request, response) => void response.end("[]")],
  [
    "an answer without an id",
    "malformed",
    (_request, response) => void response.end('{"result":1}'),
  ],
  ["no result", "malformed", (_request, response) => void response.end('{"id":1}')],
  [
    "an error",
    "refused",
    (_request, response) => void response.end('{"id":1,"error":{"code":-32601}}'),
  ],
  [
    "an endless answer",
    "too_large",
    (_request, response) => void response.end(`"${"x".repeat(5_000)}"`),
  ],
])("%s is the fault %s, and no fault names the address", async (_what, fault, act) => {
  const error = await catchFault(await listen(act), fault === "timeout" ? 1_500 : undefined);
  expect(error.fault).toBe(fault);
  const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
  expect(shown).not.toMatch(/secret-key|pass-word|127\.0\.0\.1/);
});

test.each<[string, number, string, [string, number | undefined]]>([
  ["too many requests", 429, "7", ["busy", 7_000]],
  ["a server that is away for a while", 503, "120", ["busy", 120_000]],
  ["a time that has passed", 429, "Wed, 21 Oct 2015 07:28:00 GMT", ["busy", 0]],
  ["words", 429, "soon", ["busy", undefined]],
])("%s (%i) says how long not to ask: %s", async (_what, status, after, expected) => {
  const port = await listen((_request, response) => {
    response.writeHead(status, { "retry-after": after }).end();
  });
  const { fault, pauseMs } = await catchFault(port);
  expect([fault, pauseMs]).toEqual(expected);
});

test("a closed port is a fault of the network", async () => {
  const port = await listen(() => {});
  await new Promise((resolve) => server?.close(resolve));
  expect((await catchFault(port)).fault).toBe("network");
});

test("a question of traced work is a span that names the method and no address", async () => {
  const collector = await startCollector();
  const runtime = createTestRuntime("chains");
  await startTracing(runtime, "1", collector.collectHere());
  const port = await listen((_, response) => {
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" }));
  });
  const endpoint = endpointAt(port);
  const traceId = "a".repeat(32);
  const traced = [`r-1 00-${traceId}-${"1".repeat(16)}-01`];
  try {
    await traceAll({ name: "verify", kind: "server" }, traced, () =>
      endpoint.call("eth_chainId", []),
    );
  } finally {
    endpoint.close();
    await runtime.stop();
    await collector.stop();
  }
  const spans = collector.spans(traceId);
  expect(spans.map(({ name }) => name).sort()).toEqual(["eth_chainId", "verify"]);
  expect(Buffer.concat(collector.exports).toString("latin1")).not.toMatch(/secret-key|pass-word/);
});
