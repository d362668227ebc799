// What callers without a valid key may use of the gateway, and that they delay no other caller.
import { connect, type Socket } from "node:net";
import { Writable } from "node:stream";
import { afterEach, expect, test } from "@jest/globals";
import { createLog, type Log } from "@pay/process";
import { describeWithPostgres, limitRates, until } from "@pay/testing";
import { newSecret } from "@pay/values";
import type { Bounds } from "../src/config.ts";
import { type Answer, refusal, startTestGateway, type TestGateway } from "./gateway.ts";

const TOO_MANY = refusal(429, "Too Many Requests", "Too many requests");
const CONFIRM = `/v1/payments/pay_${"A".repeat(24)}/confirm`;
const REFUSALS = 500;
const LINES_PER_SECOND = 50;
function wrongKey() {
  return newSecret("sk_live_");
}

/** What is logged of requests, by the status of the answer. */
function watchLog() {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(`${chunk}`);
      done();
    },
  });
  return {
    log: createLog("gateway", "info", sink),
    summarize: (status: number) => {
      const texts = logged.flatMap((text) => text.trim().split("\n"));
      const lines = texts.map((line) => JSON.parse(line));
      const found = lines.filter(({ statusCode }) => statusCode === status);
      return {
        lines: found.length,
        omitted: found.reduce((sum, { omitted = 0 }) => sum + omitted, 0),
      };
    },
  };
}

describeWithPostgres("strangers", () => {
  let gateway: TestGateway | undefined;
  afterEach(async () => {
    await gateway?.stop();
    gateway = undefined;
  });
  async function open(limits: object, log?: Log) {
    // Time stands still, so no bucket refills while a busy machine takes its time.
    const now = new Date();
    gateway = await startTestGateway({
      env: { TRUST_PROXY: "1", ...limitRates(limits) },
      ...(log ? { log } : { clock: { now: () => now } }),
    });
    const shop = await gateway.addProject();
    const { ask } = gateway;
    function from(address: string, key: string): Promise<Answer> {
      return ask("GET", "/v1/projects/me", {
        headers: { "x-secret-key": key, "x-forwarded-for": address },
      });
    }

    async function passes(address: string): Promise<boolean> {
      const headers = { "x-publishable-key": shop.publishable, "x-forwarded-for": address };
      const { status } = await ask("POST", CONFIRM, { headers, body: {} });
      return status !== 429;
    }

    return { ask, shop, from, passes };
  }

  test("an address has as many answers without a key as with one, and takes none from another", async () => {
    const { ask } = await open({ addressPerSecond: 3 });
    function read(address: string) {
      return ask("GET", "/v1/openapi.json", { headers: { "x-forwarded-for": address } });
    }
    for (let at = 0; at < 3; at++) expect((await read("203.0.113.1")).status).toBe(200);
    const limited = await read("203.0.113.1");
    expect([limited.status, limited.body]).toEqual([429, TOO_MANY]);
    expect((await read("203.0.113.2")).status).toBe(200);
  });

  test("pages, logos and their files draw from the address, and no other address waits", async () => {
    const { ask } = await open({ addressPerSecond: 3 });
    async function read(address: string, path: string) {
      return (await ask("GET", path, { headers: { "x-forwarded-for": address } })).status;
    }

    const page = `/pay/pay_${"A".repeat(24)}`;
    const logo = `/pay/logos/${"a".repeat(64)}`;
    const taken: number[] = [];
    for (const path of [page, logo, "/docs", logo]) taken.push(await read("203.0.113.1", path));
    expect(taken).toEqual([200, 404, 200, 429]);
    expect(await read("203.0.113.2", page)).toBe(200);
    const files: number[] = [];
    for (let at = 0; at < 25; at++) files.push(await read("203.0.113.1", "/pay/files/none.js"));
    expect(files).toEqual([...Array(24).fill(404), 429]);
  });

  test("an address that sent a few wrong keys gets 429 for more, and every good key is served", async () => {
    const { shop, from, passes } = await open({ wrongKeysPerMinute: 3 });
    for (let at = 0; at < 3; at++) {
      expect((await from("203.0.113.1", wrongKey())).status).toBe(401);
    }
    const limited = await from("203.0.113.1", wrongKey());
    expect([limited.status, limited.body]).toEqual([429, TOO_MANY]);
    expect(limited.headers).toMatchObject({
      "retry-after": expect.stringMatching(/^[1-9]\d?$/),
      "ratelimit-policy": '"keys";q=3;w=60',
      ratelimit: expect.stringMatching(/^"keys";r=0;t=\d+$/),
    });
    expect((await from("203.0.113.1", shop.secret)).status).toBe(200);
    expect(await passes("203.0.113.1")).toBe(true);
    expect((await from("203.0.113.2", shop.secret)).status).toBe(200);
    expect((await from("203.0.113.2", wrongKey())).status).toBe(401);
  });

  test("a malformed key, a session's key and a key in the query count as wrong; a missing key does not", async () => {
    const { ask, shop, from } = await open({ wrongKeysPerMinute: 3 });
    const headers = { "x-forwarded-for": "203.0.113.3" };
    const session = { "x-publishable-key": shop.publishable, authorization: "Bearer sess_x" };
    const answers = [
      await ask("GET", "/v1/payments", { headers }),
      await ask("GET", "/v1/payments", { headers: { ...headers, ...session } }),
      await ask("GET", `/v1/projects/me?key=${shop.secret}`, { headers }),
      await from("203.0.113.3", "nothing"),
      await from("203.0.113.3", wrongKey()),
      await ask("GET", "/v1/payments", { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429, 401]);
  });

  test("what is refused to a publishable key counts like any other request, whatever it is refused for", async () => {
    const { ask, shop } = await open({ addressPerSecond: 3 });
    const settings = { allowedOrigins: ["https://shop.example"] };
    const key = { "x-secret-key": shop.secret };
    await ask("PUT", "/v1/projects/me", { headers: key, body: settings });
    function from(at: number) {
      return { "x-forwarded-for": `203.0.113.${at}`, "x-publishable-key": shop.publishable };
    }

    const wrong = {
      version: { "x-service-version": "x" },
      origin: { origin: "https://a.example" },
    };
    for (const [at, [name, header]] of Object.entries(wrong).entries()) {
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) {
        const headers = { ...from(at), ...header };
        statuses.push((await ask("GET", "/v1/chains", { headers })).status);
      }
      const refused = name === "version" ? 400 : 403;
      expect([name, statuses]).toEqual([name, [refused, refused, refused, 429, 429]]);
      // The shopper behind that address is not refused for another page; no chains service answers here.
      const ofShop = { ...from(at), origin: "https://shop.example" };
      expect((await ask("GET", "/v1/chains", { headers: ofShop })).status).toBe(503);
    }
  });

  test.each([
    ["guesses of keys", 401],
    ["refusals with a publishable key", 400],
  ] as const)(
    "%s do not fill the log: lines are few, and say how many requests have none",
    async (_, wanted) => {
      const { log, summarize } = watchLog();
      const { ask, from, shop } = await open({}, log);
      function refuse() {
        if (wanted === 401) return from("203.0.113.4", wrongKey());
        const key = { "x-publishable-key": shop.publishable, "x-service-version": "x" };
        return ask("GET", "/v1/chains", { headers: key });
      }

      const startedMs = performance.now();
      const refusals = Array.from({ length: REFUSALS }, refuse);
      for (const { status } of await Promise.all(refusals)) expect(status).toBe(wanted);
      expect((await from("203.0.113.4", shop.secret)).status).toBe(200);
      await until(
        async () => {
          await refuse();
          const { lines, omitted } = summarize(wanted);
          return lines + omitted >= REFUSALS;
        },
        { what: "an account of all refusals" },
      );
      const seconds = Math.ceil((performance.now() - startedMs) / 1_000);
      expect(summarize(wanted).lines).toBeLessThanOrEqual(LINES_PER_SECOND * (seconds + 1));
      expect(summarize(200).lines).toBe(1);
    },
  );

  test("all addresses of a /64 count as one, and one of IPv4 counts the same in both its forms", async () => {
    const { passes } = await open({ addressPerSecond: 1 });
    expect(await passes("2001:db8:0:1::1")).toBe(true);
    expect(await passes("2001:db8:0:1:ffff::2")).toBe(false);
    expect(await passes("2001:db8:0:2::1")).toBe(true);
    expect(await passes("::ffff:198.51.100.1")).toBe(true);
    expect(await passes("198.51.100.1")).toBe(false);
  });

  test("public traffic of a project has a bound over all addresses, which its own server does not meet", async () => {
    const { ask, passes, shop } = await open({ publicPerSecond: 5 });
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, at) => passes(`2001:db8:0:${at.toString(16)}::1`)),
    );
    const passed = all.filter(Boolean).length;
    expect(passed).toBeGreaterThanOrEqual(5);
    expect(passed).toBeLessThan(20);
    const headers = { "x-secret-key": shop.secret };
    expect((await ask("GET", "/v1/projects/me", { headers })).status).toBe(200);
  });
});

describeWithPostgres("a connection", () => {
  let gateway: TestGateway | undefined;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway?.stop();
    gateway = undefined;
  });

  async function dial(bounds: Partial<Bounds>) {
    gateway = await startTestGateway({ bounds });
    const [host = "", port] = gateway.address.split(":");
    const socket = connect({ host, port: Number(port) });
    sockets.push(socket);
    const ended = { by: "" };
    socket.on("error", (error: NodeJS.ErrnoException) => {
      ended.by = error.code ?? "";
    });
    socket.once("close", () => {
      ended.by ||= "close";
    });
    return { socket, ended, gateway };
  }

  test("is reset within a bound when its client does not read, and others are served meanwhile", async () => {
    const { socket, ended, gateway } = await dial({ responseTimeoutMs: 3_000 });
    socket.pause();
    // More than the kernels of both ends hold.
    socket.write("GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(60));
    await until(
      async () => {
        expect((await gateway.ask("GET", "/docs")).status).toBe(200);
        // A client that does not read learns of a reset only when it writes.
        if (ended.by === "") socket.write("\r\n");
        return ended.by !== "";
      },
      { what: "the end of the connection" },
    );
    expect(["ECONNRESET", "EPIPE"]).toContain(ended.by);
    expect(socket.bytesRead).toBeLessThan(20 * 1024 * 1024);
  });

  test("ends with an answer once it is old, though its client goes on asking", async () => {
    const { socket, ended } = await dial({ connectionAgeMaxMs: 1_000 });
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    let asked = 0;
    await until(
      () => {
        const answered = heard.split("HTTP/1.1 204").length - 1;
        if (ended.by === "" && answered === asked) {
          asked++;
          socket.write("OPTIONS /v1/payments HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        return ended.by !== "";
      },
      { what: "the end of the connection" },
    );
    expect(ended.by).toBe("close");
    expect(heard.split("HTTP/1.1 204")).toHaveLength(asked + 1);
    expect(heard.match(/connection: close/gi)).toHaveLength(1);
    expect(asked).toBeLessThan(10_000);
  });
});
