// The OpenAPI document, made from the table of routes and the schemas that validate requests, so that it always describes
// them.
import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { UNRESTRICTED_LIVE } from "../../keys/caller.ts";
import { isRepeatable, type RequestHeader, type Route } from "../../pipeline/route.ts";
import { VERSION_HEADER, VERSIONS } from "../../pipeline/versions.ts";
import { type Components, createComponents } from "./components.ts";
import { EXAMPLES, TOKEN } from "./examples.ts";
import { FAILURE_EXAMPLES, failures } from "./failures.ts";
import { describeField } from "./field-descriptions.ts";
import { toJsonSchema } from "./json-schema.ts";
import { componentNameOf, operationIdOf } from "./names.ts";

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

/** The chain and the token that examples show: those that the installation offers. */
export interface Offered {
  chainId: number;
  token: string;
}

export function openApiDocument(
  routes: readonly Route[],
  serverUrl: string,
  offered: Offered = { chainId: 1, token: TOKEN },
): Json {
  const components = createComponents({ Error: ERROR });
  // Where several operations answer alike, the answer is named after the one that reads the thing.
  const reads = routes.filter((route) => operationIdOf(route).endsWith(".get"));
  const bySize = reads.map((route) => ({ route, size: JSON.stringify(answerOf(route)).length }));
  // What is inside another answer is named before it.
  for (const { route } of bySize.sort((one, two) => one.size - two.size))
    nameAnswer(route, components);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const described = placed(operation(route, components), offered);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
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
      schemas: components.schemas(),
      examples: FAILURE_EXAMPLES,
    },
  };
}

const ERROR = {
  type: "object",
  description: "The body of every error.",
  properties: {
    statusCode: { type: "integer", description: "The HTTP status." },
    message: { type: "string", description: "What is wrong, for people." },
    error: { type: "string", description: "Name of the status." },
  },
  required: ["statusCode", "message", "error"],
  additionalProperties: false,
};

/** The examples of an operation with another chain and token. */
function placed(value: unknown, { chainId, token }: Offered): Json {
  const text = JSON.stringify(value, (key, inner) =>
    key === "chainId" && inner === 1 ? chainId : inner,
  );
  return JSON.parse(text.replaceAll(TOKEN, token));
}

function keyOf({ method, path }: Route) {
  return `${method} ${path}`;
}

function answerOf(route: Route): Json {
  return describeFields(toJsonSchema(route.response, "output"), operationIdOf(route));
}

function nameAnswer(route: Route, components: Components): Json {
  return components.add(componentNameOf(operationIdOf(route)), answerOf(route));
}

/** Every field gets its description; one that the schema itself has stays. */
function describeFields(schema: Json, place: string): Json {
  const described = { ...schema };
  if (schema.properties !== undefined) {
    described.properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, Json>).map(([name, value]) => {
        const description = describeField(place, name);
        return [name, { ...(description && { description }), ...describeFields(value, name) }];
      }),
    );
  }
  for (const key of ["anyOf", "oneOf"]) {
    const shapes = schema[key] as Json[] | undefined;
    if (shapes !== undefined) described[key] = shapes.map((one) => describeFields(one, place));
  }
  if (typeof schema.items === "object") {
    described.items = describeFields(schema.items as Json, place);
  }
  return described;
}

function operation(route: Route, components: Components): Json {
  const operationId = operationIdOf(route);
  const example = EXAMPLES[keyOf(route)];
  const notes = [scopeNote(route), ...fieldNotes(route), sessionNote(route), shownNote(route)];
  const description = notes.filter(Boolean).join(" ");
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(description && { description }),
    ...(route.deprecated && { deprecated: true }),
    security: [
      ...SECURITY[route.auth],
      ...(route.session === undefined ? [] : [WITH_SESSION]),
      ...(route.client === undefined ? [] : [WITH_CLIENT_SECRET]),
    ],
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && { requestBody: requestBody(route, example?.request) }),
    responses: {
      [route.success]: {
        description: STATUS_CODES[route.success],
        headers: {
          "X-Request-Id": { schema: { type: "string" } },
          [VERSION_HEADER]: { schema: VERSION_SCHEMA },
          ...(route.body && { "X-Service-Warning": WARNING }),
        },
        content: {
          "application/json": {
            schema: nameAnswer(route, components),
            ...(example && { example: example.response }),
          },
          ...(route.follow && { "text/event-stream": { schema: streamOf(route.follow) } }),
        },
      },
      ...failures(route),
    },
  };
}

function streamOf({ description }: NonNullable<Route["follow"]>): Json {
  return { type: "string", description };
}

const WARNING = {
  description: "Present where the body has fields that the route does not know, and names them.",
  schema: { type: "string" },
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

function pathParameters({ path, id }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: describeField("path", name ?? ""),
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
    description: describeField("query", name),
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

function requestBody(route: Route, example: object | undefined): Json {
  const schema = toJsonSchema(route.body as z.ZodType, "input");
  return {
    required: true,
    content: {
      "application/json": {
        schema: describeFields(schema, operationIdOf(route)),
        ...(example && { example }),
      },
    },
  };
}
