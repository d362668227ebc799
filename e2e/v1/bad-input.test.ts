// Every endpoint gets every kind of bad input and reports the fault in the one form of errors. Input that only looks
// bad is accepted. Fields and routes come from the table, so that a new one without a row fails.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES, type Route } from "@pay/gateway";
import type { z } from "zod";
import type { Answer, Asked } from "./ask.ts";
import { describeTransport } from "./bad-transport.ts";
import { BODY_FIELDS, QUERY_FIELDS, WRONG_QUERIES } from "./field-kinds.ts";
import { KINDS } from "./kinds.ts";
import { describeWithProduct, keyHeader, type Product, startProduct } from "./product.ts";
import { REQUESTS, type Sample } from "./requests.ts";
import { openTenant, type Side } from "./tenants.ts";
import { type Kind, LONG, Raw } from "./values.ts";

const JSON_TYPE = { "content-type": "application/json" };
const ERRORS: Record<number, string> = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
};
/** What no message may hold: words of a parser, a library or a stack, and nothing of what was sent. */
const LEAKS =
  /position \d|unexpected|at \w+ \(|zod|invalid input|node_modules|drop table|[A-Za-z]{200}/i;

function getName({ method, path }: Route) {
  return `${method} ${path}`;
}

const NAMED = ROUTES.map((route) => ({ name: getName(route), route }));
const WITH_BODY = NAMED.filter(({ route }) => ["POST", "PUT"].includes(route.method));

/** A creation takes null for every field that it does not need, a change where the field may be empty. */
function takesNull({ method, body }: Route, field: string): boolean {
  const schema = body?.shape[field] as z.ZodType;
  return schema.safeParse(method === "POST" ? undefined : null).success;
}

function nested(levels: number) {
  return `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
}

function typed(type: string): Asked {
  return { headers: { "content-type": type }, body: "{}" };
}

function json(body: string | Buffer): Asked {
  return { headers: JSON_TYPE, body };
}

function encoded(coding: string, body: Buffer | string): Asked {
  return { headers: { ...JSON_TYPE, "content-encoding": coding }, body };
}

const BODIES: [string, Asked, number][] = [
  ["broken JSON", json('{"amount":'), 400],
  ["text after JSON", json("{} x"), 400],
  ["a comment", json("{} // x"), 400],
  ["a trailing comma", json('{"a":1,}'), 400],
  ["null", json("null"), 400],
  ["a bare string", json('"amount"'), 400],
  ["a bare number", json("1"), 400],
  ["an array", json("[]"), 400],
  ["a byte order mark", json("\ufeff{}"), 400],
  ["bytes that are no UTF-8", json(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400],
  [
    "an overlong encoding",
    json(Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])),
    400,
  ],
  ["a repeated field", json('{"amount":"1","amount":"2"}'), 400],
  ["a repeated field, escaped", json('{"amount":"1","\\u0061mount":"2"}'), 400],
  ["a repeated key further down", json('{"metadata":{"a":1,"a":2}}'), 400],
  ["__proto__", json('{"__proto__":{"isAdmin":true}}'), 400],
  ["__proto__, escaped", json('{"\\u005f_proto__":{"isAdmin":true}}'), 400],
  ["constructor", json('{"constructor":{"prototype":{}}}'), 400],
  ["5 000 levels", json(nested(5_000)), 400],
  ["40 000 levels", json(nested(40_000)), 400],
  ["5 001 values", json(`{"a":[${"1,".repeat(5_000)}1]}`), 400],
  ["NUL", json('{"name":"a\\u0000b"}'), 400],
  ["half a character", json('{"name":"\\ud800"}'), 400],
  ["half a character in a key", json('{"metadata":{"\\udc00":1}}'), 400],
  ["no type", { body: "{}" }, 415],
  ["a form", typed("application/x-www-form-urlencoded"), 415],
  ["several parts", typed("multipart/form-data; boundary=x"), 415],
  ["text", typed("text/plain"), 415],
  ["XML", typed("application/xml"), 415],
  ["a suffixed type", typed("application/problem+json"), 415],
  ["latin1", typed("application/json; charset=latin1"), 415],
  ["utf-7", typed("application/json; charset=utf-7"), 415],
  ["utf-16", typed("application/json; charset=utf-16"), 415],
  ["two types", typed("application/json, text/plain"), 415],
  ["gzip", encoded("gzip", gzipSync("{}")), 415],
  ["a gzip bomb", encoded("gzip", gzipSync(Buffer.alloc(10_000_000))), 415],
  ["an unknown encoding", encoded("x", "{}"), 415],
  ["more than 100 kB", json(`{"a":"${"x".repeat(102_400)}"}`), 413],
];

const EVERYWHERE = /^(broken JSON|an array|a repeated field|a form|gzip|more than 100 kB)$/;
/** All routes have one parser of bodies and ids, so two show all that it refuses. */
const [BODY_EXAMPLE, ID_EXAMPLE] = ["POST /v1/payments", "GET /v1/payments/{id}"];

const IDS: [string, number][] = [
  ["nothing", 404],
  ["%00", 400],
  ["..%2f..%2fetc%2fpasswd", 404],
  ["'%20or%201=1--", 404],
  ["%F0%9F%98%80", 404],
  ["x".repeat(10_000), 404],
  [`pay_${"A".repeat(23)}`, 404],
  [`pay_${"A".repeat(25)}`, 404],
  [`PAY_${"A".repeat(24)}`, 404],
  [`proj_${"A".repeat(24)}`, 404],
  [`pay_${"-".repeat(24)}`, 404],
  ["a%00b", 400],
  ["a%0ab", 400],
  ["%ff", 400],
  ["%E0%A4%A", 400],
  ["%zz", 400],
];

test("every field of every body and query has a row", () => {
  function fields(of: "body" | "query") {
    return Object.fromEntries(
      NAMED.filter(({ route }) => route[of] !== undefined).map(({ name, route }) => [
        name,
        Object.keys(route[of]?.shape ?? {}).sort(),
      ]),
    );
  }

  function rows(table: Record<string, object>) {
    return Object.fromEntries(
      Object.entries(table).map(([name, of]) => [name, Object.keys(of).sort()]),
    );
  }

  expect(rows(BODY_FIELDS)).toEqual(fields("body"));
  expect(rows(QUERY_FIELDS)).toEqual(fields("query"));
});

describeWithProduct("bad input", () => {
  let product: Product;
  let side: Side;
  beforeAll(async () => {
    product = await startProduct({
      // Addresses are judged as in production.
      WEBHOOKS_ALLOW_HTTP: "0",
      WEBHOOKS_ALLOW_HOSTS: "receiver.internal",
    });
    side = (await openTenant(product, undefined, { name: "Shop", hundredths: 90n })).live;
  });
  afterAll(() => product?.stop());

  function ask(route: Route, path: string, asked: Asked): Promise<Answer> {
    const key = route.auth === "secret" ? side.secret : side.publishable;
    const keys = route.auth === "none" ? {} : keyHeader(key);
    return product.ask(route.method, path, { ...asked, headers: { ...keys, ...asked.headers } });
  }

  function expectRefusal(answer: Answer, statusCode: number, first?: string) {
    const { status, headers, body, text } = answer;
    expect({ status, body }).toEqual({
      status: statusCode,
      body: { statusCode, error: ERRORS[statusCode], message: expect.any(String) },
    });
    expect(headers).toMatchObject({
      "x-request-id": expect.stringMatching(/^[\w.:-]{1,128}$/),
      "x-error-code": expect.stringMatching(/^[a-z_]+$/),
      "content-type": "application/json; charset=utf-8",
    });
    expect(text).not.toMatch(LEAKS);
    if (first !== undefined) expect(body.message.split(/[ .]/)[0]).toBe(first);
  }

  function makeSample(name: string): Promise<Sample> {
    const sample = REQUESTS[name]?.sample(side);
    if (sample === undefined) throw new Error(`${name} has no sample`);
    return Promise.resolve(sample);
  }

  const samples = new Map<string, Promise<Sample>>();
  function getSample(name: string): Promise<Sample> {
    const sample = samples.get(name) ?? makeSample(name);
    samples.set(name, sample);
    return sample;
  }

  test.each(WITH_BODY)(
    "$name takes no body that is not an object in JSON",
    async ({ name, route }) => {
      const { path } = await getSample(name);
      for (const [what, asked, statusCode] of BODIES) {
        if (name !== BODY_EXAMPLE && !EVERYWHERE.test(what)) continue;
        const answer = await ask(route, path, asked);
        try {
          expectRefusal(answer, statusCode);
        } catch (error) {
          throw new Error(`${what}: ${(error as Error).message}`);
        }
      }
    },
  );

  const described = Object.entries(BODY_FIELDS).flatMap(([name, fields]) =>
    Object.entries(fields).map(([field, kind]) => ({ name, field, kind: KINDS[kind] as Kind })),
  );

  test.each(described)("$name judges its field $field", async ({ name, field, kind }) => {
    const route = NAMED.find((named) => named.name === name)?.route as Route;
    function send({ path, body = {} }: Sample, value: unknown) {
      const { [field]: _, ...others } = body as Record<string, unknown>;
      const written = value instanceof Raw ? value.json : JSON.stringify(value);
      const rest = JSON.stringify(others).slice(1, -1);
      return ask(route, path, json(`{${rest && `${rest},`}${JSON.stringify(field)}:${written}}`));
    }

    const sample = await getSample(name);
    const bad = kind.bad.filter((value) => value !== null || !takesNull(route, field));
    await Promise.all(
      bad.map(async (value) => {
        const answer = await send(sample, value);
        const shown = JSON.stringify(value instanceof Raw ? value.json : value).slice(0, 80);
        // Bytes that are refused before anything is read from them have no field yet.
        const first = answer.body?.message?.startsWith("body ") ? "body" : field;
        try {
          expectRefusal(answer, 400, first);
        } catch (error) {
          throw new Error(`${shown}: ${(error as Error).message}`);
        }
      }),
    );
    for (const value of kind.good) {
      // What one value has changed must not decide about the next.
      const { status, text } = await send(await makeSample(name), value);
      const shown = JSON.stringify(value).slice(0, 80);
      expect([shown, status, status === route.success ? "" : text]).toEqual([
        shown,
        route.success,
        "",
      ]);
    }
  });

  test.each(NAMED.filter(({ route }) => route.auth !== "none"))(
    "$name takes no badly spelled parameter",
    async ({ name, route }) => {
      const { path, body } = await getSample(name);
      const mark = path.includes("?") ? "&" : "?";
      for (const query of WRONG_QUERIES) {
        expectRefusal(await ask(route, `${path}${mark}${query}`, { body }), 400);
      }
    },
  );

  const parameters = Object.entries(QUERY_FIELDS).flatMap(([name, fields]) =>
    Object.entries(fields).map(([field, { bad }]) => ({ name, field, bad })),
  );

  test.each(parameters)("$name judges its parameter $field", async ({ name, field, bad }) => {
    const route = NAMED.find((named) => named.name === name)?.route as Route;
    const { path, body } = await getSample(name);
    for (const value of bad) {
      const query = `${field}=${encodeURIComponent(value)}`;
      expectRefusal(await ask(route, `${path.split("?")[0]}?${query}`, { body }), 400, field);
    }
  });

  test.each(NAMED.filter(({ route }) => route.path.includes("{id}")))(
    "$name takes no id without the form of one",
    async ({ name, route }) => {
      const { body } = await getSample(name);
      for (const [id, statusCode] of name === ID_EXAMPLE ? IDS : IDS.slice(0, 2)) {
        expectRefusal(await ask(route, route.path.replace("{id}", id), { body }), statusCode);
      }
    },
  );

  test("a chain is named by a positive integer", async () => {
    const route = NAMED.find(({ name }) => name.includes("{chainId}"))?.route as Route;
    for (const id of ["0", "-1", "1.5", "abc", "1e3", "9".repeat(30), "0x1", "%20", "1%00"]) {
      expectRefusal(await ask(route, `/v1/chains/${id}/tokens`, {}), 400, "chainId");
    }
  });

  test("an unknown chain or token is refused by name", async () => {
    const route = NAMED.find(({ name }) => name === "POST /v1/payments")?.route as Route;
    const { body } = await getSample("POST /v1/payments");
    function send(change: object) {
      return ask(route, "/v1/payments", { body: { ...body, ...change } });
    }

    const { tokenAddress } = product.credentials;
    expect((await send({ chainId: 424_242 })).body.message).toBe("chainId is not supported");
    expectRefusal(await send({ currency: tokenAddress, amount: "1.0000001" }), 400, "amount");
    expectRefusal(
      await send({ currency: tokenAddress, recipientAddress: tokenAddress }),
      400,
      "recipientAddress",
    );
    expectRefusal(await send({ customerId: `cust_${"0".repeat(24)}` }), 400, "customerId");
    const everything = await ask(route, "/v1/payments", { body: {} });
    expect(everything.body.message).toBe(
      "amount is required; chainId is required; currency is required",
    );
  });

  test("text that looks like an attack is stored and returned unchanged", async () => {
    const [sql, mongo] = ["'; drop table payments; --", '{"$ne":null}'];
    const body = {
      ...(await getSample("POST /v1/payments")).body,
      description: sql,
      orderId: mongo,
    };
    const made = await side.as("POST", "/v1/payments", body);
    expect(made.body.description ?? made.body.orderId).toBe(mongo);
    const found = await side.as(
      "GET",
      `/v1/payments?orderId=${encodeURIComponent(mongo)}&expand=orderId`,
    );
    expect(found.body.data[0]).toMatchObject({ id: made.body.id, orderId: mongo });
    for (const { orderId } of found.body.data) expect(orderId).toBe(mongo);
    const read = await side.as("GET", `/v1/payments/${made.body.id}?expand=description`);
    expect(read.body.description).toBe(sql);
  });

  describe("headers", () => {
    test.each(WITH_BODY.filter(({ route }) => route.method === "POST"))(
      "$name takes no Idempotency-Key that is empty, too long or not plain",
      async ({ name, route }) => {
        const { path, body } = await getSample(name);
        for (const key of ["", "k".repeat(256), "k".repeat(9_000), "schön", "a\tb"]) {
          const headers = { "idempotency-key": Buffer.from(key).toString("latin1") };
          expectRefusal(await ask(route, path, { headers, body }), 400, "Idempotency-Key");
        }
      },
    );

    test("X-Service-Variant is one of the two shapes", async () => {
      for (const method of ["POST", "GET"]) {
        for (const shape of ["", "c", "primary,b", "__proto__", "constructor", "x".repeat(9_000)]) {
          const { body } = await getSample("POST /v1/payments");
          const answer = await product.ask(method, "/v1/payments", {
            headers: { ...keyHeader(side.secret), "x-service-variant": shape },
            ...(method === "POST" && { body }),
          });
          expectRefusal(answer, 400, "X-Service-Variant");
        }
      }
    });
  });

  describe("validators", () => {
    const TRIES = 200;
    const LIMIT_MS = 5;
    /** As large as a body may be, and as many values as one may hold. */
    const many = { length: 4_990 };
    const hostile: unknown[] = [
      ...["x", "1", "0", " ", ",", "T", "-", "\u0301"].map((text) => text.repeat(LONG)),
      `${"a.".repeat(LONG / 2)}@`,
      `a@${"b.".repeat(LONG / 2)}`,
      "💶".repeat(LONG / 2),
      `https://${"a.".repeat(LONG / 2)}`,
      `0x${"0".repeat(LONG)}`,
      `2026-01-01T00:00:00.${"0".repeat(LONG)}Z`,
      ...[1, "", "https://shop.example", null, {}].map((item) => Array.from(many, () => item)),
      Object.fromEntries(Array.from(many, (_, at) => [`key-${at}`, at])),
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key-${at}`, "x".repeat(1_900)])),
      { a: Array.from(many, () => 1) },
    ];
    function measureBest(act: () => unknown): number {
      let bestMs = Number.POSITIVE_INFINITY;
      // The fastest run counts: slower runs measure other load on this machine.
      for (let at = 0; at < TRIES && bestMs >= LIMIT_MS; at++) {
        const startedMs = performance.now();
        act();
        bestMs = Math.min(bestMs, performance.now() - startedMs);
      }
      return bestMs;
    }

    test.each(NAMED.filter(({ route }) => route.body ?? route.query))(
      "of $name take less than 5 ms for the largest of inputs",
      ({ route }) => {
        for (const schema of [route.body, route.query]) {
          for (const [field, { safeParse }] of Object.entries(schema?.shape ?? {})) {
            hostile.forEach((value, at) => {
              const tookMs = measureBest(() => safeParse(value));
              if (tookMs >= LIMIT_MS) throw new Error(`${field}: input ${at} took ${tookMs} ms`);
            });
          }
        }
      },
    );
  });

  describeTransport(() => ({ product, side }));
});
