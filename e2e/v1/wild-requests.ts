// Requests made from the OpenAPI document: most are valid, many nearly valid, some random. Values that the document
// cannot contain (ids that exist, chains, keys) are added by field name.
import fc, { type Arbitrary } from "fast-check";
import type { Headers } from "./ask.ts";
import type { Operation, Schema } from "./described.ts";

export interface Wild {
  name: string;
  method: string;
  path: string;
  headers: Headers;
  body: string | undefined;
}

export interface Surroundings {
  /** By the name of a field or parameter: values that mean something here. */
  known: Record<string, readonly unknown[]>;
  /** By the prefix of an id in a path. */
  ids: Record<string, readonly string[]>;
  credentials: readonly Headers[];
}

const ODD = [
  "",
  " ",
  "null",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "\u202e",
  "💶",
  "1e400",
];
const ODD_JSON = ['{"a":1,"a":2}', "[]", "null", "{", "1", '"x"', "{}x", '{"__proto__":{}}', ""];

function anyText() {
  return fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(...ODD, "x".repeat(600), "9".repeat(70), "0x", "-1"),
  );
}

function anyJson(): Arbitrary<unknown> {
  return fc.oneof(
    fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
    anyText(),
    fc.integer(),
    fc.double(),
    fc.bigInt().map(Number),
    fc.constantFrom<unknown>(null, true, [], {}, [[[[[[[]]]]]]], { $ne: null }),
  );
}

function anyTime(): Arbitrary<string> {
  return fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString());
}

function toText({ pattern, format, minLength = 0, maxLength = 60 }: Schema): Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (format === "email") return fc.emailAddress();
  if (format === "date-time") return anyTime();
  if (format === "date") return anyTime().map((time) => time.slice(0, "2026-01-31".length));
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) });
}

/** Values a schema allows. */
function fitting(schema: Schema, known: Surroundings["known"]): Arbitrary<unknown> {
  const { type, anyOf, items = {} } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => fitting(one, known)));
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((one) => fitting({ ...schema, type: one }, known)));
  }
  const { minimum = 0, maximum = 2 ** 31, minItems = 0, maxItems = 3 } = schema;
  const kinds: Record<string, () => Arbitrary<unknown>> = {
    string: () => toText(schema),
    integer: () => fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }),
    number: () => fc.double({ noNaN: true }),
    boolean: () => fc.boolean(),
    null: () => fc.constant(null),
    array: () =>
      fc.array(fitting(items, known), { minLength: minItems, maxLength: Math.min(maxItems, 3) }),
    object: () => buildObject(schema, known),
  };
  return kinds[type ?? "null"]?.() ?? anyJson();
}

function buildObject(schema: Schema, known: Surroundings["known"]): Arbitrary<unknown> {
  const { properties, required = [], maxProperties } = schema;
  if (properties === undefined) {
    return fc.dictionary(fc.string({ maxLength: 40 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 5,
    });
  }
  const fields = Object.entries(properties).map(
    ([name, one]) => [name, likely(name, one, known)] as const,
  );
  // One of several fields, whichever.
  if (maxProperties === 1) {
    return fc.oneof(...fields.map(([name, values]) => fc.record({ [name]: values })));
  }
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

/** Mostly a meaningful value, else a valid one; sometimes an invalid one. */
function likely(name: string, schema: Schema, known: Surroundings["known"]): Arbitrary<unknown> {
  const meant = known[name];
  return fc.oneof(
    { weight: 30, arbitrary: meant ? fc.constantFrom(...meant) : fitting(schema, known) },
    { weight: 4, arbitrary: fitting(schema, known) },
    { weight: 1, arbitrary: anyJson() },
  );
}

function buildBody(schema: Schema | undefined, known: Surroundings["known"]) {
  const described = schema === undefined ? fc.constant("{}") : fitting(schema, known).map(toJson);
  return fc.oneof(
    { weight: 20, arbitrary: described },
    { weight: 1, arbitrary: anyJson().map(toJson) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_JSON) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

/** A lone surrogate cannot be percent-encoded, so it is sent as a broken client would send it. */
function encode(value: unknown): string {
  const plain = typeof value === "string" ? value : JSON.stringify(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  const text = isList ? value.join(",") : plain;
  return text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80";
}

function buildQuery({ parameters }: Operation, known: Surroundings["known"]) {
  const described = parameters.filter((parameter) => parameter.in === "query");
  const record = fc.record(
    Object.fromEntries(described.map(({ name, schema }) => [name, likely(name, schema, known)])),
    { requiredKeys: [] },
  );
  const written = record.map((values) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join("&"),
  );
  const odd = fc.oneof(
    anyText().map((text) => `${encode(text)}=1`),
    fc.constantFrom("page=1&page=2", "a[b]=c", "=", "&&", "%", "%00", "limit=%31"),
  );
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant("") },
    { weight: 15, arbitrary: written },
    { weight: 2, arbitrary: odd },
  );
}

function buildPath({ path, parameters }: Operation, { known, ids }: Surroundings) {
  const described = parameters.filter((parameter) => parameter.in === "path");
  const values = described.map(({ name, schema }) => {
    const prefix = /^\^(\w+?)_\[/.exec(schema.pattern ?? "")?.[1] ?? "";
    const meant = ids[prefix] ?? known[name];
    return fc.oneof(
      { weight: 8, arbitrary: meant ? fc.constantFrom(...meant) : fitting(schema, known) },
      { weight: 2, arbitrary: fitting(schema, known) },
      // An empty segment, or a dot, would be another path.
      { weight: 1, arbitrary: anyText().filter((text) => !/^\.{0,2}$/.test(text)) },
    );
  });
  return fc
    .tuple(...values)
    .map((chosen) =>
      described.reduce(
        (filled, { name }, at) => filled.replace(`{${name}}`, () => encode(chosen[at])),
        path,
      ),
    );
}

function toHeaders({ method }: Operation, { credentials }: Surroundings): Arbitrary<Headers> {
  const plain = fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.trim() || "key");
  const more = fc.record(
    {
      "idempotency-key": fc.oneof(fc.constantFrom("one", "two", "three"), plain),
      "x-service-variant": fc.constantFrom("primary", "b", "B", "c", "__proto__"),
      "x-request-id": plain,
      origin: fc.constantFrom("https://shop.example", "null", "http://127.0.0.1:3000"),
      "x-forwarded-proto": fc.constantFrom("http", "https"),
    },
    { requiredKeys: [] },
  );
  const types = fc.oneof(
    { weight: 25, arbitrary: fc.constant("application/json") },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/json; charset=utf-16", "") },
  );
  const type = ["POST", "PUT"].includes(method) ? { "content-type": types } : {};
  return fc
    .tuple(
      fc.constantFrom(...credentials),
      fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, more),
      fc.record(type),
    )
    .map(([key, others, content]) => ({ ...others, ...content, ...key }) as Headers);
}

export function wildRequest(
  operations: readonly Operation[],
  surroundings: Surroundings,
): Arbitrary<Wild> {
  return fc.oneof(
    ...operations.map((operation) => {
      const { name, method, body } = operation;
      const hasBody = ["POST", "PUT"].includes(method);
      return fc
        .record({
          path: buildPath(operation, surroundings),
          query: buildQuery(operation, surroundings.known),
          headers: toHeaders(operation, surroundings),
          body: hasBody ? buildBody(body, surroundings.known) : fc.constant(undefined),
        })
        .map(({ path, query, ...rest }) => ({
          name,
          method,
          ...rest,
          path: query === "" ? path : `${path}?${query}`,
        }));
    }),
  );
}
