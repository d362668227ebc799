// Reading a header must be cheap, whatever its value. Each header that is read has a row here, and each row gets the
// values that are slow for an expression that backtracks, at the greatest length of headers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, limitRates } from "@pay/testing";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

/** All headers together may have 16 kB. */
const LENGTH = 15_000;
/** On a busy machine most rounds are slow for other reasons; one quick round is enough to know better. */
const ROUNDS = 50;
/** A pass over the value takes well below one; a pass for each of its characters takes fifty and more. */
const COST_MS_MAX = 10;

interface Row {
  /** A value of the right form: hostile ones begin like it. */
  good: string;
  /** Where the header is read only once the body is judged. */
  needsBody?: true;
}

const KEY = "A".repeat(43);
const ROWS: Record<string, Row> = {
  accept: { good: "text/event-stream, application/json;q=0.9" },
  "accept-encoding": { good: "gzip;q=1.0, br" },
  authorization: { good: `Bearer sess_${KEY}` },
  "content-encoding": { good: "identity" },
  "content-type": { good: 'application/json; charset="utf-8"' },
  cookie: { good: `__Host-pay=dash_${KEY}; theme=dark` },
  "idempotency-key": { good: "order-1", needsBody: true },
  "if-none-match": { good: '"47DEQpj8HBSa-_TImW-5JC"' },
  "last-event-id": { good: "evt_1fJtQv8sN2xKcW7hRz9L4mYb" },
  origin: { good: "https://shop.example.com" },
  "payment-signature": { good: "eyJ4NDAyVmVyc2lvbiI6Mn0=" },
  "sec-fetch-site": { good: "same-origin" },
  traceparent: { good: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` },
  "user-agent": { good: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" },
  "x-client-secret": { good: `cs_live_${KEY}` },
  "x-csrf-token": { good: KEY },
  "x-forwarded-for": { good: "203.0.113.7, 2001:db8::1" },
  "x-forwarded-proto": { good: "https" },
  "x-project": { good: "proj_1fJtQv8sN2xKcW7hRz9L4mYb" },
  "x-publishable-key": { good: `pk_live_${KEY}` },
  "x-request-id": { good: "order-17.retry:2" },
  "x-secret-key": { good: `sk_live_${KEY}` },
  "x-service-mode": { good: "live" },
  "x-service-variant": { good: "primary", needsBody: true },
  "x-service-version": { good: "2026-11-21" },
};
/** Read by the HTTP parser of Node, which refuses a request where they have not the one form it knows. */
const OF_THE_PARSER = ["content-length", "host", "transfer-encoding"];
/** Read by Express, for the address of the client. */
const OF_EXPRESS = "x-forwarded-for";

const ORDER = {
  amount: "1.50",
  chainId: 31_337,
  currency: "native",
  recipientAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
};

const FILLS = [
  " ",
  "\t",
  ",",
  ";",
  '"',
  "=",
  ".",
  ":",
  "a",
  "0",
  "A_",
  ", ",
  "; ",
  " ;",
  ' "',
  "::",
];

function hostileValues({ good }: Row): string[] {
  return ["", good, good.slice(0, Math.ceil(good.length / 2))].flatMap((begin) =>
    FILLS.map((fill) => `${begin}${fill.repeat(LENGTH / fill.length)}x`),
  );
}

/** Where a header is read by a name that is not written there: which names these are. */
const BY_VARIABLE: Record<string, string[]> = {
  "KEY_HEADERS[type]": ["x-secret-key", "x-publishable-key"],
  "KEY_HEADERS[other]": [],
  CLIENT_SECRET: ["x-client-secret"],
  SIGNATURE_HEADER: ["payment-signature"],
  "VERSION_HEADER.toLowerCase()": ["x-service-version"],
  // Of the function through which handlers read.
  name: [],
};
const READS = [
  /\bheaders\[((?:[^[\]]|\[[^\]]*\])+)\]/g,
  /\bgetHeader\(\w+, (.+?)\)(?!\))/g,
  /\.header\((.+?)\)/g,
  /\brequest\.headers\.(\w+)/g,
];
const DESTRUCTURED = /\{([^{}]*)\} = (?:\w+\.)?headers\b/g;

function namesIn(source: string): string[] {
  const read = READS.flatMap((form) => [...source.matchAll(form)]).flatMap(([whole, name = ""]) => {
    // Names of headers that came are in lower case; others are of answers.
    if (/^"[^"]+"$/.test(name)) return /[A-Z]/.test(name) ? [] : [name.slice(1, -1)];
    if (/^\w+$/.test(name) && whole.endsWith(`.${name}`)) return [name];
    return BY_VARIABLE[name] ?? [`${name}, which no row of BY_VARIABLE explains`];
  });
  const taken = [...source.matchAll(DESTRUCTURED)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().split(/[ :=]/)[0] ?? ""),
  );
  return [...read, ...taken, ...(source.includes("rawHeaders") ? ["host"] : [])];
}

test("every header that is read has a row", () => {
  const folder = join(import.meta.dirname, "../src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !/\.test\.ts$|^generated/.test(path),
  );
  const read = files.flatMap((path) => namesIn(readFileSync(join(folder, path), "utf8")));
  const listed = [...Object.keys(ROWS), ...OF_THE_PARSER].filter((name) => name !== OF_EXPRESS);
  expect([...new Set(read)].sort()).toEqual(listed.sort());
});

describeWithPostgres("a header's value", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: {
        PUBLIC_URL: "https://pay.example.com",
        TRUST_PROXY: "1",
        ...limitRates({ addressPerSecond: 100_000 }),
      },
    });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  /** As a shopper's page and as a merchant's server: between them they come to every header. */
  function asks({ needsBody }: Partial<Row>) {
    const from = { "x-forwarded-proto": "https", "content-type": "application/json" };
    const confirm = { clientSecret: `cs_live_${KEY}`, txHash: `0x${"c".repeat(64)}` };
    return [
      {
        path: `/v1/payments/pay_${"A".repeat(24)}/confirm`,
        headers: { ...from, "x-publishable-key": shop.publishable },
        body: needsBody ? confirm : {},
      },
      {
        path: "/v1/payments",
        headers: { ...from, "x-secret-key": shop.secret },
        body: needsBody ? ORDER : {},
      },
    ];
  }

  async function costMs(asked: ReturnType<typeof asks>[number], header: Record<string, string>) {
    const startedMs = performance.now();
    const { status } = await gateway.ask("POST", asked.path, {
      headers: { ...asked.headers, ...header },
      body: JSON.stringify(asked.body),
    });
    return { status, tookMs: performance.now() - startedMs };
  }

  test.each(Object.entries(ROWS))("in %s costs nothing, whatever it is", async (name, row) => {
    const dear: string[] = [];
    for (const asked of asks(row)) {
      for (const value of hostileValues(row)) {
        const least = { hostileMs: Number.POSITIVE_INFINITY, plainMs: Number.POSITIVE_INFINITY };
        let round = 0;
        // Only what is slow each time is slow by itself.
        do {
          const { status, tookMs } = await costMs(asked, { [name]: value });
          expect(status).not.toBe(500);
          least.hostileMs = Math.min(least.hostileMs, tookMs);
          const plain = await costMs({ ...asked, body: {} }, { "x-unread": value });
          least.plainMs = Math.min(least.plainMs, plain.tookMs);
        } while (least.hostileMs > least.plainMs + COST_MS_MAX && ++round < ROUNDS);
        if (round === ROUNDS) {
          dear.push(`${value.slice(0, 40)}… on ${asked.path}: ${least.hostileMs.toFixed(1)} ms`);
        }
      }
    }
    expect(dear).toEqual([]);
  });
});
