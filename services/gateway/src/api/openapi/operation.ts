// One route as an operation of the document.
import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import type { Route } from "../../pipeline/route.ts";
import { VERSION_HEADER } from "../../pipeline/versions.ts";
import type { Components } from "./components.ts";
import { describeFields } from "./describe-fields.ts";
import { EXAMPLES } from "./examples.ts";
import { failures } from "./failures.ts";
import { type Json, toJsonSchema } from "./json-schema.ts";
import { toComponentName, toOperationId } from "./names.ts";
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

export function toAnswer(route: Route): Json {
  return describeFields(toJsonSchema(route.response, "output"), toOperationId(route));
}

/** The answer as a component, or what names the component that is there already. */
export function nameAnswer(route: Route, components: Components): Json {
  return components.add(toComponentName(toOperationId(route)), toAnswer(route));
}

export function operation(route: Route, components: Components): Json {
  const operationId = toOperationId(route);
  const example = EXAMPLES[`${route.method} ${route.path}`];
  const description = buildNotes(route);
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(description && { description }),
    ...(route.deprecated && { deprecated: true }),
    security: buildSecurity(route),
    parameters: buildParameters(route),
    ...(route.body && { requestBody: requestBody(route, example?.request) }),
    responses: {
      [route.success]: {
        description: STATUS_CODES[route.success],
        headers: {
          "X-Request-Id": { schema: { type: "string" } },
          [VERSION_HEADER]: { schema: VERSION_SCHEMA },
          ...(route.body && { "X-Service-Warning": WARNING }),
        },
        content: toContent(route, nameAnswer(route, components), example?.response),
      },
      ...failures(route),
    },
  };
}

function toContent({ lines, follow }: Route, schema: Json, example: unknown): Json {
  if (lines !== undefined) {
    const [first = "", ...others] = lines;
    const rest = others.map((type) => [type, { schema: ROWS }]);
    const shown = example === undefined ? {} : { example };
    return { [first]: { schema, ...shown }, ...Object.fromEntries(rest) };
  }
  return {
    "application/json": { schema, ...(example === undefined ? {} : { example }) },
    ...(follow && {
      "text/event-stream": { schema: { type: "string", description: follow.description } },
    }),
  };
}

function requestBody(route: Route, example: object | undefined): Json {
  const schema = toJsonSchema(route.body as z.ZodType, "input");
  return {
    required: true,
    content: {
      "application/json": {
        schema: describeFields(schema, toOperationId(route)),
        ...(example && { example }),
      },
    },
  };
}
