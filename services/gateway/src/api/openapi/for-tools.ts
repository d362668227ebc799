// The document as tools load it: what operations have in common is written once, among the components, and what only
// the reference shows is left out.
import { separateOwnCodes } from "./error-codes.ts";
import { type Json, mapValues } from "./json-schema.ts";

const ENDPOINTS = "/v1/webhook-endpoints";
const CALLBACK_URL = "{$request.body#/url}";
/** How most operations are authenticated: an operation names its own where it differs. */
const DEFAULT_SECURITY = [{ secretKey: [] }];

/** About the length of a reference: what is shorter is written out. */
const REFERENCE_CHARACTERS = 60;

type Kind = "parameters" | "requestBodies" | "responses" | "headers" | "schemas";
/** Gives a part, or the reference that stands for it; `write` writes out what the part contains. */
type Refer = (kind: Kind, name: string, part: Json, write?: () => Json) => Json;
type Replace = (object: Json, refer: Refer) => Json;

interface Webhook {
  requestBody: { content: { "application/json": { schema: Json } } };
}

export function buildForTools(document: Json): Json {
  const { paths, webhooks, components } = document as Record<string, Json>;
  const called = withCallback(separateOwnCodes(paths ?? {}), webhooks ?? {});
  const { found, rest } = shareWithin({ paths: called, webhooks }, replaceInOperations);
  const headers = shareWithin({ ...rest, ...found }, replaceHeaders);
  const schemas = components?.schemas as Json;
  const fields = shareWithin({ ...headers.rest, schemas }, replaceSchemas, Object.keys(schemas));
  const { paths: sharedPaths, webhooks: sharedWebhooks, ...shared } = fields.rest;
  return {
    ...document,
    security: DEFAULT_SECURITY,
    paths: sharedPaths,
    webhooks: sharedWebhooks,
    components: {
      ...components,
      ...shared,
      ...headers.found,
      schemas: nameOnce({ ...(shared.schemas as Json), ...fields.found.schemas }),
    },
  };
}

/** A schema that is the same as one before it refers to that one. */
function nameOnce(schemas: Json): Json {
  const first = new Map<string, string>();
  return mapValues(schemas, (schema, name) => {
    const text = JSON.stringify(schema);
    const known = first.get(text);
    if (known !== undefined) return { $ref: `#/components/schemas/${known}` };
    first.set(text, name);
    return schema;
  });
}

/** Tools that know paths alone find the webhooks where an endpoint for them is created. */
function withCallback(paths: Json, webhooks: Json): Json {
  const { [ENDPOINTS]: endpoints, ...others } = paths as Record<string, Record<string, Json>>;
  const all = Object.values(webhooks as Record<string, { post: Webhook }>);
  const [first] = all;
  if (endpoints === undefined || first === undefined) return paths;
  const bodies = all.map(({ post }) => post.requestBody.content["application/json"].schema);
  const post = {
    ...first.post,
    operationId: "webhooks.event",
    summary: "Sent when an event happens that the endpoint takes",
    description: "Each webhook has a form of its own.",
    requestBody: { required: true, content: { "application/json": { schema: { oneOf: bodies } } } },
  };
  const callbacks = { event: { [CALLBACK_URL]: { post } } };
  return { ...others, [ENDPOINTS]: { ...endpoints, post: { ...endpoints.post, callbacks } } };
}

/** Replaces each part that occurs more than once by a reference to a component. */
function shareWithin(object: Json, replace: Replace, schemas: readonly string[] = []) {
  const uses = new Map<string, number>();
  replace(object, (kind, _name, part, write = () => part) => {
    const key = toKey(kind, part);
    const count = uses.get(key) ?? 0;
    uses.set(key, count + 1);
    return count === 0 ? write() : part;
  });
  const references = new Map<string, Json>();
  const names = new Set(schemas.map((name) => `schemas ${name.toLowerCase()}`));
  const found: Partial<Record<Kind, Json>> = {};
  const rest = replace(object, (kind, name, part, write = () => part) => {
    const key = toKey(kind, part);
    if (uses.get(key) === 1) return write();
    const known = references.get(key);
    if (known !== undefined) return known;
    const free = takeFreeName(name.replace(/^X-Service-|[^\w.-]/g, ""), kind, names);
    const reference = { $ref: `#/components/${kind}/${free}` };
    references.set(key, reference);
    const written = write();
    found[kind] = { ...found[kind], [free]: written };
    return reference;
  });
  return { found, rest };
}

function toKey(kind: Kind, part: Json): string {
  return kind + JSON.stringify(part);
}

/** A number follows where several parts have one name. Clients' files and types may differ by more than case only. */
function takeFreeName(name: string, kind: Kind, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(`${kind} ${free.toLowerCase()}`); n++) free = `${name}${n}`;
  taken.add(`${kind} ${free.toLowerCase()}`);
  return free;
}

function replaceInOperations({ paths, webhooks }: Json, refer: Refer): Json {
  return { paths: replaceInItems(paths, refer), webhooks: replaceInItems(webhooks, refer) };
}

function replaceInItems(items: unknown, refer: Refer): Json {
  return mapValues(items as Json, (methods) =>
    mapValues(methods as Json, (operation) => replaceInOperation(operation as Json, refer)),
  );
}

function replaceInOperation(operation: Json, refer: Refer): Json {
  const {
    "x-codeSamples": _,
    parameters = [],
    requestBody,
    responses,
    security,
    callbacks,
    ...rest
  } = operation as {
    "x-codeSamples"?: unknown;
    callbacks?: Json;
    parameters?: Json[];
    requestBody?: Json;
    responses: Record<string, Json>;
    security: unknown;
  };
  return {
    ...rest,
    ...(JSON.stringify(security) !== JSON.stringify(DEFAULT_SECURITY) && { security }),
    // Generated code has one namespace for all components: a parameter is not named like a schema.
    parameters: parameters.map((one) => refer("parameters", `${one.name}Param`, one)),
    ...(requestBody && {
      requestBody: refer("requestBodies", `${operation.operationId}`, requestBody),
    }),
    responses: mapValues(responses, (one, status) =>
      refer("responses", `S${status}`, withoutExamples(one)),
    ),
    ...(callbacks && { callbacks: mapValues(callbacks, (items) => replaceInItems(items, refer)) }),
  };
}

/** Each field has an example of its own. */
function withoutExamples(answer: Json): Json {
  const { content } = answer as { content?: Record<string, Json> };
  if (content === undefined) return answer;
  return { ...answer, content: mapValues(content, ({ example: _, ...rest }) => rest) };
}

/** In all answers, wherever they are. */
function replaceHeaders(value: Json, refer: Refer): Json {
  return mapValues(value, (inner, name) => {
    if (name === "headers") {
      return mapValues(inner as Record<string, Json>, (one, header) =>
        refer("headers", header, one),
      );
    }
    return replaceWithin(inner, (one) => replaceHeaders(one, refer));
  });
}

/** Schemas of fields, of elements and of alternatives; each takes the name of the field it is for. */
function replaceSchemas(value: Json, refer: Refer, owner = ""): Json {
  const share = (schema: Json, name: string) => {
    const write = () => replaceSchemas(schema, refer, name);
    if (JSON.stringify(schema).length < REFERENCE_CHARACTERS) return write();
    return refer("schemas", `${name[0]?.toUpperCase()}${name.slice(1)}`, schema, write);
  };
  return mapValues(value, (inner, name) => {
    if (name === "example" || name === "examples") return inner;
    if (name === "properties") return mapValues(inner as Record<string, Json>, share);
    if (owner !== "" && name === "items") return share(inner as Json, owner);
    if (owner !== "" && name === "anyOf") {
      return (inner as Json[]).map((one) => share(one, owner));
    }
    const { name: parameter } = value;
    if (typeof parameter === "string" && name === "schema") return share(inner as Json, parameter);
    return replaceWithin(inner, (one) => replaceSchemas(one, refer));
  });
}

/** In the elements of a list, too. */
function replaceWithin(value: unknown, replace: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((one) => replaceWithin(one, replace));
  return typeof value === "object" && value !== null ? replace(value as Json) : value;
}
