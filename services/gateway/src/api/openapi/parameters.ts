import { ROLE_NAME } from "../../members/roles.ts";
import { isRepeatable, type RequestHeader, type Route } from "../../pipeline/route.ts";
import { VERSION_HEADER } from "../../pipeline/versions.ts";
import { MONTH } from "../period.ts";
import { type Json, toJsonSchema } from "./json-schema.ts";

export const VERSION_SCHEMA = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };

/** Parameters of the path, the query and the headers. */
export function buildParameters(route: Route): Json[] {
  return [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
}

const PATH_PARAMETERS: Record<string, [description: string, schema: Json]> = {
  id: ["Id; its prefix names the type of the resource.", { type: "string", minLength: 1 }],
  chainId: ["Chain id.", { type: "integer" }],
  month: ["Month in UTC, YYYY-MM.", { type: "string", pattern: MONTH.source }],
  day: ["Day in UTC, YYYY-MM-DD.", { type: "string", format: "date" }],
  name: ["Name of the role.", { type: "string", pattern: ROLE_NAME.source }],
  asset: ["Contract of the token.", { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }],
  payer: ["Wallet that has signed.", { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }],
  nonce: ["Nonce that it has signed.", { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" }],
  deliveryId: ["Id of the delivery.", { type: "string", minLength: 1 }],
};

function pathParameters({ path, id }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const [description, schema] = PATH_PARAMETERS[name] ?? [undefined, { type: "string" }];
    const isId = name === "id" && id !== undefined;
    return {
      name,
      in: "path",
      required: true,
      description,
      schema: isId ? { type: "string", pattern: `^${id.prefix}_[0-9A-Za-z]{24}$` } : schema,
    };
  });
}

function queryParameters({ query }: Route): Json[] {
  if (query === undefined) return [];
  const { properties, required = [] } = toJsonSchema(query, "input") as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    description,
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
        "API version. Without the header it is the version that the project was created with.",
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
