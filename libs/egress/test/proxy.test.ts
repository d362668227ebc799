// Requests through a CONNECT proxy, which is a real one and keeps what it was asked for.
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  type Receiver,
  type ScriptedDns,
  startReceiver,
  startScriptedDns,
  until,
} from "@pay/testing";
import { createEgress, type Egress, parseProxy } from "../src/index.ts";

interface Asked {
  authority: string | undefined;
  credentials: string | undefined;
}

let receiver: Receiver;
let dns: ScriptedDns;
let egress: Egress;
let proxy: Server;
let proxyUrl: string;
let asked: Asked[];
/** What the proxy answers; it connects where there is none, and is silent at "silent". */
let answer: number | "silent" | undefined;
const sockets = new Set<Socket>();

beforeEach(async () => {
  asked = [];
  answer = undefined;
  [receiver, dns] = await Promise.all([startReceiver(), startScriptedDns()]);
  proxy = createServer();
  proxy.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  proxy.on("connect", ({ url = "", headers }, client: Socket) => {
    asked.push({ authority: url, credentials: headers["proxy-authorization"] });
    client.on("error", () => {});
    if (answer === "silent") return void client.resume().once("end", () => client.end());
    if (answer !== undefined) return void client.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
    const [host, port] = url.split(":");
    const out = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      out.pipe(client).pipe(out);
    });
    out.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  open(proxyUrl);
});

afterEach(async () => {
  egress.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
  dns.stop();
  await receiver.stop();
});

function open(url: string) {
  egress?.close();
  egress = createEgress({
    allowHosts: ["localhost"],
    ca: receiver.ca,
    dnsServers: [dns.address],
    proxy: parseProxy(url),
  });
}

function post(url = `${receiver.url}/hook`, timeoutMs = 20_000) {
  return egress.post({ url, headers: [], body: Buffer.from("{}"), timeoutMs });
}

test("a request reaches its receiver through the proxy, which is asked once for many requests", async () => {
  const { host } = new URL(receiver.url);
  for (let count = 0; count < 3; count++) {
    expect(await post()).toMatchObject({ statusCode: 200, remoteAddress: host.split(":")[0] });
    expect(await receiver.next()).toMatchObject({ method: "POST", path: "/hook" });
  }
  expect(asked).toEqual([{ authority: host, credentials: undefined }]);
});

test("the proxy gets the address that was vetted, and not the name", async () => {
  const { port } = new URL(receiver.url);
  dns.answer("shop.example", { addresses: ["127.0.0.1"] });
  // The certificate is of another name, which the sender notices behind the proxy as it does without one.
  expect(await post(`https://shop.example:${port}/`)).toMatchObject({ fault: "tls_hostname" });
  expect(asked.map(({ authority }) => authority)).toEqual([`127.0.0.1:${port}`]);
});

test.each([["10.0.0.1"], ["203.0.113.9", "169.254.169.254"]])(
  "a name with the addresses %s is refused before the proxy hears of it",
  async (...addresses) => {
    dns.answer("inside.example", { addresses });
    expect(await post("https://inside.example/")).toMatchObject({ fault: "refused_address" });
    expect(asked).toEqual([]);
  },
);

test("the next address is tried where the proxy does not reach the first", async () => {
  const { port } = new URL(receiver.url);
  // No process listens at the first; the second has the receiver, under another name.
  dns.answer("two.example", { addresses: ["127.0.0.9", "127.0.0.1"] });
  expect(await post(`https://two.example:${port}/`)).toMatchObject({ fault: "tls_hostname" });
  expect(asked.map(({ authority }) => authority)).toEqual([
    `127.0.0.9:${port}`,
    `127.0.0.1:${port}`,
  ]);
});

test.each([
  [403, "refused_address"],
  [407, "proxy"],
  [502, "unreachable"],
  [504, "timeout"],
  [500, "proxy"],
] as const)("the proxy's answer %d is the fault %s", async (status, fault) => {
  answer = status;
  expect(await post()).toMatchObject({ fault });
  expect(receiver.all).toEqual([]);
});

test("a proxy that says nothing costs the deadline, and its connection is closed", async () => {
  answer = "silent";
  expect(await post(undefined, 300)).toMatchObject({ fault: "timeout" });
  await until(() => sockets.size === 0, { what: "the end of the connection" });
});

test("a proxy that is away is a fault of its own", async () => {
  await new Promise((resolve) => proxy.close(resolve));
  expect(await post()).toMatchObject({ fault: "proxy" });
});

test("the proxy gets the credentials of its address", async () => {
  open(proxyUrl.replace("//", "//shop:p%40ss@"));
  expect(await post()).toMatchObject({ statusCode: 200 });
  const credentials = `Basic ${Buffer.from("shop:p@ss").toString("base64")}`;
  expect(asked).toMatchObject([{ credentials }]);
});

test.each(["", "proxy:3128", "https://proxy:3128", "http://", "http://proxy/path", "socks5://p:1"])(
  "%p is no address of a proxy",
  (text) => {
    expect(parseProxy(text)).toBeUndefined();
  },
);
