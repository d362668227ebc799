// The OpenAPI document, made from the table of routes and the schemas that validate, so that it cannot be wrong
// about them.
import { STATUS_CODES } from "node:http";
import { Failure, type FailureKind, toRestError } from "@pay/rpc";
import type { z } from "zod";
import type { Route } from "../route.ts";
import { VERSION_HEADER, VERSIONS } from "../versions.ts";
import { EXAMPLES } from "./examples.ts";
import { toJsonSchema } from "./json-schema.ts";

const VERSION_SCHEMA = { type: "string", enum: VERSIONS };

type Json = Record<string, unknown>;

const ABOUT = {
  title: "Payment service",
  version: "1.0.0",
  description:
    "Accepts payments on EVM chains. Amounts are decimal strings, times are ISO 8601 in UTC, every error has the " +
    "same body; its machine-readable code is in the header X-Error-Code, and X-Request-Id names the request.",
};

const SECURITY: Record<Route["auth"], Json[]> = {
  secret: [{ secretKey: [] }],
  publishable: [{ publishableKey: [] }],
  none: [],
};

export const openApiDocument = (routes: readonly Route[], serverUrl: string): Json => {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: ABOUT,
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        secretKey: { type: "apiKey", in: "header", name: "X-Secret-Key" },
        publishableKey: { type: "apiKey", in: "header", name: "X-Publishable-Key" },
        session: { type: "http", scheme: "bearer", description: "A shopper's session: sess_…" },
      },
      schemas: { Error: ERROR },
    },
  };
};

const ERROR = {
  type: "object",
  description: "The body of every error.",
  properties: {
    statusCode: { type: "integer" },
    message: { type: "string" },
    error: { type: "string" },
  },
  required: ["statusCode", "message", "error"],
  additionalProperties: false,
};

const keyOf = ({ method, path }: Route) => `${method} ${path}`;

const operation = (route: Route): Json => {
  const example = EXAMPLES[keyOf(route)];
  const description = [scopeNote(route), sessionNote(route)].filter(Boolean).join(" ");
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description && { description }),
    security: [...SECURITY[route.auth], ...(route.session === undefined ? [] : [WITH_SESSION])],
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && { requestBody: requestBody(route.body, example?.request) }),
    responses: {
      [route.success]: {
        description: STATUS_CODES[route.success],
        headers: {
          "X-Request-Id": { schema: { type: "string" } },
          [VERSION_HEADER]: { schema: VERSION_SCHEMA },
        },
        content: {
          "application/json": {
            schema: toJsonSchema(route.response, "output"),
            ...(example && { example: example.response }),
          },
        },
      },
      ...failures(route),
    },
  };
};

/** Names one way in: both together. */
const WITH_SESSION: Json = { publishableKey: [], session: [] };

const scopeNote = ({ scope }: Route): string =>
  scope === undefined ? "" : `A restricted key needs the scope ${scope}.`;

const sessionNote = ({ body, session }: Route): string => {
  if (session === undefined) return "";
  const needed = requiredIn(session.body ?? body);
  const optional = requiredIn(body).filter((name) => !needed.includes(name));
  const note = "With a shopper's session it is about what is the shopper's own";
  return optional.length === 0 ? `${note}.` : `${note}; ${optional.join(", ")} may be left out.`;
};

const requiredIn = (body: z.ZodType | undefined): string[] =>
  (body && (toJsonSchema(body, "input").required as string[] | undefined)) ?? [];

/** E.g. postPaymentsConfirm: stable, because generated clients call their methods so. */
const operationId = ({ method, path }: Route): string => {
  const words = path
    .replace("/v1/", "")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  const name = words.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join("");
  return method.toLowerCase() + name;
};

const pathParameters = ({ path, id }: Route): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema:
      name === "id" && id !== undefined
        ? { type: "string", pattern: `^${id.prefix}_[0-9A-Za-z]{24}$` }
        : { type: name === "chainId" ? "integer" : "string" },
  }));

const queryParameters = ({ query }: Route): Json[] => {
  if (query === undefined) return [];
  const { properties } = toJsonSchema(query, "input") as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    schema,
    // Several values are written as one, with commas.
    ...(schema.type === "array" && { style: "form", explode: false }),
  }));
};

const headerParameters = (route: Route): Json[] => [
  {
    name: VERSION_HEADER,
    in: "header",
    description:
      "Version of the interface; the one the project was created with where it is absent.",
    schema: VERSION_SCHEMA,
  },
  ...(route.method === "POST"
    ? [header("Idempotency-Key", "Makes the request repeatable for 24 hours.", 255)]
    : []),
  ...(route.path === "/v1/payments"
    ? [header("X-Service-Variant", "Shape of the interface: primary or b.", 7)]
    : []),
];

const header = (name: string, description: string, maxLength: number): Json => ({
  name,
  in: "header",
  description,
  schema: { type: "string", minLength: 1, maxLength },
});

const requestBody = (body: z.ZodType, example: object | undefined): Json => ({
  required: true,
  content: {
    "application/json": { schema: toJsonSchema(body, "input"), ...(example && { example }) },
  },
});

const failures = (route: Route): Json => {
  const kinds: FailureKind[] = [
    "invalid_argument",
    "request_timeout",
    "headers_too_large",
    "resource_exhausted",
    "internal",
    "unavailable",
    "deadline_exceeded",
  ];
  if (route.auth !== "none") kinds.push("unauthenticated", "permission_denied");
  if (route.path.includes("{") || route.path === "/v1/refunds") kinds.push("not_found");
  if (route.method === "POST") kinds.push("failed_precondition", "unprocessable");
  // A body is read, and may be refused, where the method has one, whether or not the route wants it.
  if (route.method === "POST" || route.method === "PUT") {
    kinds.push("payload_too_large", "unsupported_media_type");
  }
  return Object.fromEntries(
    kinds.map((kind) => {
      const { statusCode, error } = toRestError(new Failure(kind, ""));
      const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
      return [statusCode, { description: error, content }];
    }),
  );
};
