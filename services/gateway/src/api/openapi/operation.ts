// One route as an operation of the document.
import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { toOperationId } from "../../pipeline/operation-id.ts";
import type { Route } from "../../pipeline/route.ts";
import { VERSION_HEADER } from "../../pipeline/versions.ts";
import { buildExample } from "./example.ts";
import { failures } from "./failures.ts";
import { type Json, toJsonSchema } from "./json-schema.ts";
import { buildNotes } from "./notes.ts";
import { buildParameters, VERSION_SCHEMA } from "./parameters.ts";
import { buildSecurity } from "./security.ts";

const ROWS = {
  type: "string",
  description: "The same fields as columns, named in the first row.",
};

const WARNING = {
  description: "Present where the body has fields that the route does not know, and names them.",
  schema: { type: "string" },
};

/** What the schema of the response refers to is among the components. */
export function operation(route: Route, response: Json, components: Record<string, Json>): Json {
  const description = buildNotes(route);
  return {
    operationId: toOperationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description && { description }),
    ...(route.deprecated && { deprecated: true }),
    security: buildSecurity(route),
    parameters: buildParameters(route),
    ...(route.body && { requestBody: requestBody(route) }),
    responses: {
      [route.success]: {
        description: STATUS_CODES[route.success],
        headers: {
          "X-Request-Id": { schema: { type: "string" } },
          [VERSION_HEADER]: { schema: VERSION_SCHEMA },
          ...(route.body && { "X-Service-Warning": WARNING }),
        },
        content: toContent(route, response, components),
      },
      ...failures(route),
    },
  };
}

function toContent(route: Route, schema: Json, components: Record<string, Json>): Json {
  const example = withOwn(buildExample(schema, components), route.example?.response);
  if (route.lines !== undefined) {
    const [first = "", ...others] = route.lines;
    const rest = others.map((type) => [type, { schema: ROWS }]);
    return { [first]: { schema, example }, ...Object.fromEntries(rest) };
  }
  return {
    "application/json": { schema, example },
    ...(route.follow && {
      "text/event-stream": { schema: { type: "string", description: route.follow.description } },
    }),
  };
}

export function buildRequestExample({ body, example }: Route): object | undefined {
  if (body === undefined) return undefined;
  const fromFields = buildExample(toJsonSchema(body, "input"), {});
  return withOwn(fromFields, example?.request) as object;
}

function requestBody(route: Route): Json {
  const plain = toJsonSchema(route.body as z.ZodType, "input");
  const schema = route.method === "POST" ? withNulls(plain) : plain;
  const example = buildRequestExample(route);
  return { required: true, content: { "application/json": { schema, example } } };
}

/** A creation takes null for a field that it does not need. */
function withNulls(schema: Json): Json {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const nullable = Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : withNull(field),
  ]);
  return { ...schema, properties: Object.fromEntries(nullable) };
}

function withNull(field: Json): Json {
  const { type, anyOf } = field;
  if (Array.isArray(anyOf)) return { ...field, anyOf: [...anyOf, { type: "null" }] };
  if (typeof type !== "string") return field;
  if (field.enum === undefined) return { ...field, type: [type, "null"] };
  // Generated code has one type for the values.
  const { description, ...values } = field;
  return { description, anyOf: [values, { type: "null" }] };
}

function withOwn(example: unknown, own: object | undefined): unknown {
  return own === undefined ? example : { ...(example as object), ...own };
}
