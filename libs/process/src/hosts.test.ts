import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { hostToBind, joinHostPort, localAddress } from "./hosts.ts";

const IPV4 = { family: "IPv4" };
const IPV6 = { family: "IPv6" };

test.each([
  ["::", { lo: [IPV4, IPV6] }, "::"],
  ["::", { lo: [IPV6], eth0: [IPV6] }, "::"],
  ["::", { lo: [IPV4], eth0: [IPV4] }, "0.0.0.0"],
  ["::", {}, "0.0.0.0"],
  ["[::]", { lo: [IPV4, IPV6] }, "::"],
  ["0.0.0.0", { lo: [IPV6] }, "0.0.0.0"],
  ["127.0.0.1", { lo: [IPV4, IPV6] }, "127.0.0.1"],
  ["::1", { lo: [IPV4] }, "::1"],
])("%s on %j is bound as %s", (host, interfaces, bound) => {
  expect(hostToBind(host, interfaces)).toBe(bound);
});

test("what listens on every interface is reached from this machine over IPv4", async () => {
  const server = createServer((socket) => socket.end("here"));
  await new Promise<void>((resolve) => server.listen(0, hostToBind("::"), resolve));
  const { address, port } = server.address() as AddressInfo;
  const url = new URL(`http://${localAddress(address, port)}`);
  expect(url.hostname).toBe("127.0.0.1");
  const said = await new Promise<string>((resolve, reject) => {
    connect(Number(url.port), url.hostname)
      .once("data", (chunk) => resolve(chunk.toString()))
      .once("error", reject);
  });
  server.close();
  expect(said).toBe("here");
});

test("brackets separate an address of IPv6 from its port", () => {
  expect(joinHostPort("::", 80)).toBe("[::]:80");
  expect(joinHostPort("10.0.0.1", 80)).toBe("10.0.0.1:80");
  expect(localAddress("::1", 80)).toBe("[::1]:80");
});
