// The canary is a listener on loopback that must not see a single connection; "the request failed" alone would
// prove nothing, because the port might just be closed.
import { createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  createAuthority,
  type ScriptedDns,
  startReceiver,
  startScriptedDns,
  until,
} from "@pay/testing";
import { createEgress, type Egress, type EgressOptions } from "../src/index.ts";
import { startFarReceiver } from "./far-receiver.ts";

let canary: Server;
let canaryV6: Server;
let port: number;
let seen: number;
let dns: ScriptedDns;
let egress: Egress;

function listen(server: Server, on: { host: string; port: number }) {
  return new Promise<number>((resolve, reject) => {
    server.once("error", reject).listen(on.port, on.host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

beforeAll(async () => {
  function touch() {
    seen++;
  }

  canary = createServer(touch);
  canaryV6 = createServer(touch);
  port = await listen(canary, { host: "127.0.0.1", port: 0 });
  await listen(canaryV6, { host: "::1", port }).catch(() => {}); // a machine without IPv6
  dns = await startScriptedDns();
});

afterAll(() => {
  canary.close();
  canaryV6.close();
  dns.stop();
});

function open(options: EgressOptions = {}): Egress {
  egress = createEgress({ dnsServers: [dns.address], ...options });
  return egress;
}

beforeEach(() => {
  seen = 0;
  open();
});

afterEach(() => egress.close());

function post(url: string, timeoutMs = 20_000) {
  return egress.post({
    url,
    headers: ["content-type", "application/json"],
    body: Buffer.from("{}"),
    timeoutMs,
  });
}

test.each([
  "127.0.0.1",
  "127.1",
  "2130706433",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "localhost",
  "foo.localhost",
])("%s is refused as a URL and nothing is opened", async (host) => {
  expect(await post(`https://${host}:${port}/`)).toMatchObject({ fault: "refused_url" });
  expect(seen).toBe(0);
});

test.each([
  ["127.0.0.1"],
  ["10.0.0.7"],
  ["169.254.169.254"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["1.1.1.1", "127.0.0.1"],
  ["1.1.1.1", "::1"],
])("a name that leads to %s %s is refused and nothing is opened", async (...addresses) => {
  dns.answer("bad.example.com", { addresses: addresses.filter(Boolean) });
  expect(await post(`https://bad.example.com:${port}/`)).toMatchObject({
    fault: "refused_address",
    remoteAddress: undefined,
  });
  expect(seen).toBe(0);
});

test("a name that moves to a forbidden address is refused as soon as its connection has aged", async () => {
  const authority = createAuthority();
  const certificate = authority.issue({ names: ["rebind.example.com"] });
  const receiver = await startReceiver({ host: "127.0.0.2", port, certificate });
  open({ allowHosts: ["127.0.0.2"], ca: authority.ca, connectionAgeMaxMs: 8_000 });
  dns.answer("rebind.example.com", { addresses: ["127.0.0.2"] }, { addresses: ["127.0.0.1"] });
  const url = `https://rebind.example.com:${port}/`;
  expect(await post(url)).toMatchObject({ statusCode: 200, remoteAddress: "127.0.0.2" });
  expect(await post(url)).toMatchObject({ statusCode: 200 });
  expect(receiver.connections.opened).toBe(1);
  const refused = await until(async () => {
    const outcome = await post(url);
    return outcome.fault === undefined ? undefined : outcome;
  });
  expect(refused).toMatchObject({ fault: "refused_address" });
  expect(seen).toBe(0);
  await receiver.stop();
});

test("one attempt looks a name up once and is pinned to what it found", async () => {
  open({ allowHosts: ["localhost"], allowHttp: true });
  dns.answer("once.example.com", { addresses: ["127.0.0.2"] }, { addresses: ["127.0.0.1"] });
  await post(`https://once.example.com:${port}/`, 1_000);
  expect(dns.asked.filter((name) => name === "once.example.com")).toHaveLength(1);
  expect(seen).toBe(0);
});

test("a redirect to loopback is an answer, never a road", async () => {
  const receiver = await startReceiver();
  open({ allowHosts: ["localhost"], ca: receiver.ca });
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.respondWith({ status, headers: { location: `http://127.0.0.1:${port}/` } });
    expect(await post(receiver.url)).toMatchObject({ statusCode: status });
  }
  expect(seen).toBe(0);
  expect(receiver.all).toHaveLength(5);
  await receiver.stop();
});

test("a name without addresses and a resolver that does not answer are different faults", async () => {
  dns.answer("silent.example.com", "silent");
  const [unknown, silent] = await Promise.all([
    post("https://unknown.example.com/"),
    post("https://silent.example.com/"),
  ]);
  expect(unknown).toMatchObject({ fault: "dns" });
  expect(silent).toMatchObject({ fault: "dns_timeout" });
  expect(silent.durationMs).toBeLessThan(10_000);
});

test("resolvers that are away for a second cost one attempt, not the next one too", async () => {
  const receiver = await startReceiver();
  open({ allowHosts: ["localhost"], allowHttp: true });
  dns.answer("back.example.com", "silent");
  expect(await post("https://back.example.com/")).toMatchObject({ fault: "dns_timeout" });
  dns.answer("back.example.com", { addresses: ["127.0.0.1"], ttlSeconds: 0 });
  const waitedFrom = performance.now();
  const answered = await until(
    async () => {
      const outcome = await post(`https://back.example.com:${receiver.port}/`);
      return outcome.fault === "dns_timeout" ? undefined : outcome;
    },
    { what: "an answer about the name" },
  );
  // The name was asked for again; the certificate is another matter.
  expect(answered.fault).toBe("tls_untrusted");
  // Half a second later; that a name does not exist would be kept for five.
  expect(performance.now() - waitedFrom).toBeLessThan(4_500);
  await receiver.stop();
});

test("a receiver farther away than a quarter of a second is reached beside an address that refuses", async () => {
  const far = await startFarReceiver();
  open({ allowHosts: ["localhost"], allowHttp: true });
  const startedAt = performance.now();
  const outcome = post(`http://localhost:${far.port}/`);
  await until(() => performance.now() - startedAt > 400);
  far.goOn();
  expect(await outcome).toMatchObject({ statusCode: 200, remoteAddress: "127.0.0.1" });
  expect((await outcome).durationMs).toBeGreaterThan(300);
  far.stop();
});

test("names that never resolve do not hold up others", async () => {
  const receiver = await startReceiver();
  open({ allowHosts: ["localhost"], ca: receiver.ca });
  const silent = Array.from({ length: 8 }, (_, index) => `hole-${index}.example.com`);
  for (const name of silent) dns.answer(name, "silent");
  async function isHeldUp() {
    const stuck = silent.map((name) => post(`https://${name}/`));
    const answered = await post(receiver.url);
    expect(answered).toMatchObject({ statusCode: 200 });
    await Promise.all(stuck);
    // A question without an answer takes two seconds; what another load on this machine delays is tried again.
    return answered.durationMs > 1_700;
  }

  await until(async () => !(await isHeldUp()), { what: "an answer before those of the resolver" });
  await receiver.stop();
});

test("questions for one name at one time travel once", async () => {
  dns.answer("shared.example.com", { addresses: ["10.0.0.1"], ttlSeconds: 60 });
  await Promise.all(Array.from({ length: 20 }, () => post("https://shared.example.com/")));
  expect(dns.asked.filter((name) => name === "shared.example.com")).toHaveLength(1);
});

test("a refused private address and a refused connection look alike in time", async () => {
  dns.answer("private.example.com", { addresses: ["10.0.0.1"], ttlSeconds: 60 });
  await post("https://private.example.com/");
  const tookMs: number[] = [];
  for (let times = 0; times < 10; times++) {
    tookMs.push((await post("https://private.example.com/")).durationMs);
  }
  // The fastest counts: slower ones measure other load on this machine.
  expect(Math.min(...tookMs)).toBeLessThan(500);
});
