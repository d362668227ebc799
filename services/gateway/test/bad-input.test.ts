// Every route gets every kind of bad input, generated from the table, so that a new route is tested too.
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { ROUTES, type Route } from "../src/index.ts";
import {
  type Answer,
  type Ask,
  startTestGateway,
  type TestGateway,
  type TestProject,
} from "./gateway.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STATUS: Record<number, string> = {
  400: "Bad Request",
  404: "Not Found",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
};

function getId({ id }: Route) {
  return `${id?.prefix}_${"A".repeat(24)}`;
}

function buildPath(route: Route, id = getId(route)) {
  return route.path
    .replace("{id}", id)
    .replace("{chainId}", "1")
    .replace(/\{\w+\}/, "x");
}

function nested(levels: number) {
  return `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
}

/** What no body may be, with the status that answers it. */
const BODIES: [string, Ask, number][] = [
  ["broken JSON", { headers: JSON_TYPE, body: '{"amount":' }, 400],
  ["text after JSON", { headers: JSON_TYPE, body: "{} x" }, 400],
  ["null", { headers: JSON_TYPE, body: "null" }, 400],
  ["a bare string", { headers: JSON_TYPE, body: '"amount"' }, 400],
  ["an array", { headers: JSON_TYPE, body: "[]" }, 400],
  ["a body without a type", { body: "{}" }, 415],
  [
    "a form",
    { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" },
    415,
  ],
  ["text", { headers: { "content-type": "text/plain" }, body: "{}" }, 415],
  ["a suffixed type", { headers: { "content-type": "application/problem+json" }, body: "{}" }, 415],
  ["latin1", { headers: { "content-type": "application/json; charset=latin1" }, body: "{}" }, 415],
  ["utf-7", { headers: { "content-type": "application/json; charset=utf-7" }, body: "{}" }, 415],
  ["two types", { headers: { "content-type": "application/json, text/plain" }, body: "{}" }, 415],
  ["gzip", { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: gzipSync("{}") }, 415],
  ["an unknown encoding", { headers: { ...JSON_TYPE, "content-encoding": "x" }, body: "{}" }, 415],
  [
    "bytes that are no UTF-8",
    { headers: JSON_TYPE, body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
    400,
  ],
  ["more than 100 kB", { headers: JSON_TYPE, body: `{"a":"${"x".repeat(102_400)}"}` }, 413],
  ["a repeated field", { headers: JSON_TYPE, body: '{"amount":"1","amount":"2"}' }, 400],
  ["__proto__", { headers: JSON_TYPE, body: '{"metadata":{"__proto__":{"a":1}}}' }, 400],
  ["constructor", { headers: JSON_TYPE, body: '{"constructor":{"prototype":{}}}' }, 400],
  ["5 000 levels", { headers: JSON_TYPE, body: nested(5_000) }, 400],
  ["40 000 levels", { headers: JSON_TYPE, body: nested(40_000) }, 400],
  ["NUL", { headers: JSON_TYPE, body: '{"name":"a\\u0000b"}' }, 400],
  ["half a character", { headers: JSON_TYPE, body: '{"name":"\\ud800"}' }, 400],
  ["half a character in a key", { headers: JSON_TYPE, body: '{"metadata":{"\\udc00":1}}' }, 400],
];

const QUERIES = ["%E0%A4%A=1", "page=%00", "limit=%ff", "unknown=%ff"];
/** What no route knows, and the header that says so. */
const UNKNOWN_QUERIES = [
  ["unknown=1&unknown=2", "unknown parameter unknown"],
  ["pag=1", "unknown parameter pag; did you mean page"],
  ["page[$ne]=1", "unknown parameter"],
  ["__proto__=1&constructor=1", "unknown parameter __proto__, unknown parameter constructor"],
] as const;

const IDS: [string, number][] = [
  ["nothing", 404],
  ["..%2f..%2fetc%2fpasswd", 404],
  ["'%20or%201=1--", 404],
  ["%F0%9F%98%80", 404],
  ["x".repeat(10_000), 404],
  [`pay${"_"}${"A".repeat(23)}`, 404],
  ["a%00b", 400],
  ["a%0ab", 400],
  ["%ff", 400],
];

describeWithPostgres("bad input", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  function keyed({ auth }: Route, asked: Ask): Ask {
    const key =
      auth === "secret"
        ? { "x-secret-key": shop.secret }
        : { "x-publishable-key": shop.publishable };
    return { ...asked, headers: { ...(auth === "none" ? {} : key), ...asked.headers } };
  }

  function expectRefusal(answer: Answer, statusCode: number) {
    expect(answer.body).toEqual({
      statusCode,
      error: STATUS[statusCode],
      message: expect.any(String),
    });
    expect(answer.status).toBe(statusCode);
    expect(answer.headers["x-request-id"]).toBeTruthy();
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body.message.length).toBeLessThan(2_000);
    expect(answer.body.message).not.toMatch(
      /position \d|unexpected token|at \w+ \(|zod|invalid input/i,
    );
  }

  const named = ROUTES.map((route) => ({ route, name: `${route.method} ${route.path}` }));

  describe.each(named.filter(({ route }) => ["POST", "PUT"].includes(route.method)))(
    "$name",
    ({ route }) => {
      test.each(BODIES)("refuses %s", async (_, asked, statusCode) => {
        expectRefusal(
          await gateway.ask(route.method, buildPath(route), keyed(route, asked)),
          statusCode,
        );
      });
    },
  );

  describe.each(named.filter(({ route }) => route.auth !== "none"))("$name", ({ route }) => {
    const withBody = route.body === undefined ? {} : { body: {} };

    test.each(QUERIES)("refuses the query %s", async (query) => {
      const path = `${buildPath(route)}?${query}`;
      expectRefusal(await gateway.ask(route.method, path, keyed(route, withBody)), 400);
    });

    if (route.query !== undefined && "page" in route.query.shape) {
      test("refuses a parameter that occurs twice, and warns of an unknown one", async () => {
        const path = buildPath(route);
        const twice = await gateway.ask("GET", `${path}?limit=1&limit=2`, keyed(route, {}));
        expectRefusal(twice, 400);
        expect(twice.body.message).toBe("limit must occur only once");
        for (const [query, warning] of UNKNOWN_QUERIES) {
          const { status, headers } = await gateway.ask(
            "GET",
            `${path}?${query}`,
            keyed(route, {}),
          );
          expect(status).not.toBe(400);
          expect(headers["x-service-warning"]).toBe(warning);
        }
      });
    }

    if (route.path.includes("{id}")) {
      test.each(IDS)("takes %.40s for no id", async (id, statusCode) => {
        const path = buildPath(route, id);
        expectRefusal(await gateway.ask(route.method, path, keyed(route, withBody)), statusCode);
      });
    }

    if (route.method === "POST") {
      test.each(["", "k".repeat(256), "sch\u00f6n", "a\tb"])(
        "refuses the idempotency key %.20j",
        async (key) => {
          const asked = keyed(route, {
            headers: { "idempotency-key": Buffer.from(key).toString("latin1") },
            body: {},
          });
          expectRefusal(await gateway.ask("POST", buildPath(route), asked), 400);
        },
      );
    }
  });

  describe.each(named.filter(({ route }) => route.body !== undefined))("$name", ({ route }) => {
    const fields = Object.keys(route.body?.shape ?? {});
    const wrong: [string, unknown][] = [
      ["a number", 1.5],
      ["true", true],
      ["an array", [[]]],
      ["an object", { $ne: null }],
      ["null", null],
      ["an empty text", ""],
      ["a very long text", "x".repeat(90_000)],
      ["a number in quotes", "1e400"],
      ["control characters", "\u0007\u001b[31m"],
    ];

    test.each(wrong)("never fails on %s in any field", async (_, value) => {
      for (const field of fields) {
        const answer = await gateway.ask(
          route.method,
          buildPath(route),
          keyed(route, { body: { [field]: value } }),
        );
        expect([200, 400, 404, 409, 503]).toContain(answer.status);
        if (answer.status === 400) expectRefusal(answer, 400);
      }
    });

    test("never fails on random JSON", async () => {
      for (let round = 0; round < 20; round++) {
        const body = Object.fromEntries(
          fields.map((field) => [
            field,
            (randomBytes(1)[0] as number & 1) ? randomBytes(9).toString("latin1") : [{}],
          ]),
        );
        const { status } = await gateway.ask(
          route.method,
          buildPath(route),
          keyed(route, { body }),
        );
        expect([200, 400, 404, 409, 503]).toContain(status);
      }
    });
  });

  test.each([
    ['{"chainId":9007199254740993}', "chainId"],
    ['{"chainId":1e400}', "chainId"],
    ['{"chainId":-0}', "chainId"],
    ['{"chainId":1.0}', "chainId"],
    ['{"chainId":1e0}', "chainId"],
    ['{"chainId":"1"}', "chainId"],
    ['{"expiresInMinutes":0}', "expiresInMinutes"],
    ['{"expiresInMinutes":10081}', "expiresInMinutes"],
    ['{"expiresInMinutes":30.5}', "expiresInMinutes"],
    ['{"amount":1}', "amount"],
    ['{"amount":"1e3"}', "amount"],
    ['{"qrMode":"true"}', "qrMode"],
    ['{"metadata":{"a":1e400}}', "metadata"],
    ['{"metadata":{"orderNo":[12345678901234567890]}}', "metadata"],
  ])("a payment with %s is refused by name", async (body, field) => {
    const asked = { headers: { ...JSON_TYPE, "x-secret-key": shop.secret }, body };
    const { body: answer } = await gateway.ask("POST", "/v1/payments", asked);
    expect(answer.message.split("; ").map((fault: string) => fault.split(" ")[0])).toContain(field);
  });

  test("the refusal of an empty creation names all that is missing", async () => {
    for (const asked of [{ body: {} }, {}, { headers: JSON_TYPE }]) {
      const { headers = {}, ...rest } = asked as Ask;
      const answer = await gateway.ask("POST", "/v1/payments", {
        ...rest,
        headers: { ...headers, "x-secret-key": shop.secret },
      });
      expect(answer.body.message).toBe(
        "amount is required; chainId is required; currency is required",
      );
    }
  });
});
