// The OpenAPI document, made from the table of routes and the schemas that validate requests, so that it always describes
// them.
import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { UNRESTRICTED_LIVE } from "../../keys/caller.ts";
import { isRepeatable, type RequestHeader, type Route } from "../../pipeline/route.ts";
import { VERSION_HEADER, VERSIONS } from "../../pipeline/versions.ts";
import { EXAMPLES } from "./examples.ts";
import { failures } from "./failures.ts";
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

export function openApiDocument(routes: readonly Route[], serverUrl: string): Json {
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
        clientSecret: {
          type: "apiKey",
          in: "header",
          name: "X-Client-Secret",
          description: "The clientSecret of one payment, which opens that payment alone.",
        },
        session: { type: "http", scheme: "bearer", description: "A shopper's session: sess_…" },
      },
      schemas: { Error: ERROR },
    },
  };
}

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

function keyOf({ method, path }: Route) {
  return `${method} ${path}`;
}

function operation(route: Route): Json {
  const example = EXAMPLES[keyOf(route)];
  const notes = [scopeNote(route), ...fieldNotes(route), sessionNote(route), shownNote(route)];
  const description = notes.filter(Boolean).join(" ");
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description && { description }),
    security: [
      ...SECURITY[route.auth],
      ...(route.session === undefined ? [] : [WITH_SESSION]),
      ...(route.client === undefined ? [] : [WITH_CLIENT_SECRET]),
    ],
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
          ...(route.follow && { "text/event-stream": { schema: EVENTS } }),
        },
      },
      ...failures(route),
    },
  };
}

const EVENTS = {
  type: "string",
  description:
    "Events named status, each with this answer as its data, at once and after every change of the payment.",
};

/** One way to authenticate: both keys together. */
const WITH_SESSION: Json = { publishableKey: [], session: [] };
const WITH_CLIENT_SECRET: Json = { clientSecret: [] };

function scopeNote({ scope, unrestrictedLive }: Route): string {
  if (unrestrictedLive) return `Needs an ${UNRESTRICTED_LIVE}.`;
  return scope === undefined ? "" : `A restricted key needs the scope ${scope}.`;
}

function fieldNotes({ needs = {} }: Route): string[] {
  return Object.entries(needs).map(([field, need]) =>
    need === UNRESTRICTED_LIVE
      ? `${field} needs an ${need}.`
      : `A restricted key needs the scope ${need} for ${field}.`,
  );
}

function sessionNote({ body, session }: Route): string {
  if (session === undefined) return "";
  const needed = requiredIn(session.body ?? body);
  const optional = requiredIn(body).filter((name) => !needed.includes(name));
  const note = "With a shopper's session it is about what is the shopper's own";
  return optional.length === 0 ? `${note}.` : `${note}; ${optional.join(", ")} may be left out.`;
}

function shownNote({ query, session }: Route): string {
  if (session === undefined || query?.shape.expand === undefined) return "";
  const { shown = [] } = session;
  return shown.length === 0
    ? "expand is not open to a session."
    : `With a session expand may name ${shown.join(", ")}.`;
}

function requiredIn(body: z.ZodType | undefined): string[] {
  return (body && (toJsonSchema(body, "input").required as string[] | undefined)) ?? [];
}

/** E.g. postPaymentsConfirm: stable, because generated clients call their methods so. */
function operationId({ method, path }: Route): string {
  const words = path
    .replace("/v1/", "")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  const name = words.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join("");
  return method.toLowerCase() + name;
}

function pathParameters({ path, id }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema:
      name === "id" && id !== undefined
        ? { type: "string", pattern: `^${id.prefix}_[0-9A-Za-z]{24}$` }
        : name === "chainId"
          ? { type: "integer" }
          : { type: "string", minLength: 1 },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (query === undefined) return [];
  const { properties } = toJsonSchema(query, "input") as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    schema,
    // Several values are written as one, with commas.
    ...(schema.type === "array" && { style: "form", explode: false }),
  }));
}

function headerParameters(route: Route): Json[] {
  return [
    {
      name: VERSION_HEADER,
      in: "header",
      description:
        "Version of the interface; the one the project was created with where it is absent.",
      schema: VERSION_SCHEMA,
    },
    ...(isRepeatable(route) ? [header(IDEMPOTENCY_KEY)] : []),
    ...(route.headers ?? []).map(header),
  ];
}

const IDEMPOTENCY_KEY: RequestHeader = {
  name: "Idempotency-Key",
  description: "Makes the request repeatable for 24 hours.",
  maxLength: 255,
};

function header({ name, description, maxLength }: RequestHeader): Json {
  return {
    name,
    in: "header",
    description,
    schema: { type: "string", minLength: 1, maxLength },
  };
}

function requestBody(body: z.ZodType, example: object | undefined): Json {
  return {
    required: true,
    content: {
      "application/json": { schema: toJsonSchema(body, "input"), ...(example && { example }) },
    },
  };
}
