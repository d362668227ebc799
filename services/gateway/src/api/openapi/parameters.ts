import { isRepeatable, type RequestHeader, type Route } from "../../pipeline/route.ts";
import { VERSION_HEADER, VERSIONS } from "../../pipeline/versions.ts";
import { describeField } from "./field-descriptions.ts";
import { type Json, toJsonSchema } from "./json-schema.ts";

export const VERSION_SCHEMA = { type: "string", enum: VERSIONS };

/** Everything a request names outside its body. */
export function buildParameters(route: Route): Json[] {
  return [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
}

function pathParameters({ path, id }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: describeField("path", name ?? ""),
    schema: pathSchema(name ?? "", id),
  }));
}

function pathSchema(name: string, id: Route["id"]): Json {
  if (name === "id" && id !== undefined)
    return { type: "string", pattern: `^${id.prefix}_[0-9A-Za-z]{24}$` };
  if (name === "chainId") return { type: "integer" };
  if (name === "day") return { type: "string", format: "date" };
  return { type: "string", minLength: 1 };
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
