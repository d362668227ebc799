// What travels, byte for byte, to a peer that says what no good server says.
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { createEgress, type Egress } from "../src/index.ts";

let server: Server;
let egress: Egress;
let url: string;
let connections: { socket: Socket; received: string }[];
let answer: (socket: Socket) => void;

beforeEach(async () => {
  connections = [];
  server = createServer((socket) => {
    const connection = { socket, received: "" };
    connections.push(connection);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      connection.received += chunk.toString("latin1");
      if (connection.received.endsWith("{}")) answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`;
  egress = createEgress({ allowHosts: ["localhost"], allowHttp: true });
});

afterEach(() => {
  egress.close();
  server.close();
});

function post(headers: string[] = ["X-Number", "1"]) {
  return egress.post({ url, headers, body: Buffer.from("{}"), timeoutMs: 60_000 });
}

function answerWith(text: string) {
  answer = (socket) => socket.write(Buffer.from(text, "latin1"));
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const FORGED = "HTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n";

test("bytes that follow an answer are never the next request's answer", async () => {
  answerWith(`${OK}${FORGED}`);
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(connections).toHaveLength(2);
});

test("bytes that no request asked for end an idle connection", async () => {
  answerWith(OK);
  expect(await post()).toMatchObject({ statusCode: 200 });
  connections[0]?.socket.write(FORGED);
  await until(() => connections[0]?.socket.destroyed === true, { what: "the connection's end" });
  expect(await post()).toMatchObject({ statusCode: 200 });
  expect(connections).toHaveLength(2);
});

test("a request that was answered in part is not sent again", async () => {
  answerWith(OK);
  expect(await post()).toMatchObject({ statusCode: 200 });
  answer = (socket) => socket.end("HTTP/1.1 2");
  expect(await post()).toMatchObject({ fault: "connection_reset" });
  expect(connections).toHaveLength(1);
});

test("a peer that says how long it keeps connections is believed", async () => {
  answerWith("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n");
  await post();
  await post();
  expect(connections).toHaveLength(2);
});

test("no value of a header becomes a header of its own", async () => {
  answerWith(OK);
  await post(["X-Number", "1", "X-Empty", ""]);
  expect(connections[0]?.received.split("\r\n")).toEqual([
    "POST /hook HTTP/1.1",
    `host: ${new URL(url).host}`,
    "connection: keep-alive",
    "X-Number: 1",
    "X-Empty: ",
    "content-length: 2",
    "",
    "{}",
  ]);
  const before = connections.map(({ received }) => received).join("");
  for (const headers of [
    ["X-Number", "1\r\nX-Forged: 1"],
    ["X-Number", "1\n"],
    ["X-Number", "\u010d\u010a"],
    ["X-Number\r\nX-Forged", "1"],
    ["X Number", "1"],
    ["", "1"],
  ]) {
    expect(await post(headers)).toMatchObject({ fault: "unknown" });
  }
  expect(connections.map(({ received }) => received).join("")).toBe(before);
});
