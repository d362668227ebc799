// The document as tools load it: what operations have in common is written once, among the components, and what only
// the reference shows is left out.
import type { Json } from "./json-schema.ts";

const ENDPOINTS = "/v1/webhook-endpoints";

type Kind = "parameters" | "requestBodies" | "responses" | "headers";
/** Gives a part, or the reference that stands for it. */
type Refer = (kind: Kind, name: string, part: Json) => Json;
type Replace = (object: Json, refer: Refer) => Json;

export function buildForTools(document: Json): Json {
  const { paths, webhooks, components } = document as Record<string, Json>;
  const { found, rest } = shareWithin({ paths, webhooks }, replaceInOperations);
  const hoisted = shareWithin({ ...rest, ...found }, replaceHeaders);
  const { paths: sharedPaths, webhooks: pathItems, ...shared } = hoisted.rest;
  const types = Object.keys(webhooks ?? {});
  return {
    ...document,
    paths: withCallbacks(sharedPaths as Json, types),
    webhooks: Object.fromEntries(types.map((type) => [type, referToWebhook(type)])),
    components: { ...components, ...shared, ...hoisted.found, pathItems },
  };
}

/** Tools that know paths alone find the webhooks where an endpoint for them is created. */
function withCallbacks(paths: Json, types: readonly string[]): Json {
  const { [ENDPOINTS]: endpoints, ...others } = paths as Record<string, Record<string, Json>>;
  if (endpoints === undefined) return paths;
  const callbacks = Object.fromEntries(
    types.map((type) => [type, { "{$request.body#/url}": referToWebhook(type) }]),
  );
  return { ...others, [ENDPOINTS]: { ...endpoints, post: { ...endpoints.post, callbacks } } };
}

function referToWebhook(type: string): Json {
  return { $ref: `#/components/pathItems/${type}` };
}

/** Replaces each part that occurs more than once by a reference to a component. */
function shareWithin(object: Json, replace: Replace): { found: Json; rest: Json } {
  const uses = new Map<string, number>();
  replace(object, (kind, _name, part) => {
    const key = toKey(kind, part);
    uses.set(key, (uses.get(key) ?? 0) + 1);
    return part;
  });
  const references = new Map<string, Json>();
  const found: Partial<Record<Kind, Json>> = {};
  const rest = replace(object, (kind, name, part) => {
    const key = toKey(kind, part);
    if (uses.get(key) === 1) return part;
    const known = references.get(key);
    if (known !== undefined) return known;
    found[kind] ??= {};
    const free = findFreeName(name.replace(/[^\w.-]/g, ""), found[kind]);
    found[kind][free] = part;
    const reference = { $ref: `#/components/${kind}/${free}` };
    references.set(key, reference);
    return reference;
  });
  return { found, rest };
}

function toKey(kind: Kind, part: Json): string {
  return kind + JSON.stringify(part);
}

/** A number follows where several parts have one name. */
function findFreeName(name: string, taken: Json): string {
  let free = name;
  for (let n = 2; free in taken; n++) free = `${name}${n}`;
  return free;
}

function replaceInOperations({ paths, webhooks }: Json, refer: Refer): Json {
  const ofPaths = (list: unknown) =>
    mapValues(list as Json, (methods) =>
      mapValues(methods as Json, (operation) => replaceInOperation(operation as Json, refer)),
    );
  return { paths: ofPaths(paths), webhooks: ofPaths(webhooks) };
}

function replaceInOperation(operation: Json, refer: Refer): Json {
  const {
    "x-codeSamples": _,
    parameters = [],
    requestBody,
    responses,
    ...rest
  } = operation as {
    "x-codeSamples"?: unknown;
    parameters?: Json[];
    requestBody?: Json;
    responses: Record<string, Json>;
  };
  return {
    ...rest,
    parameters: parameters.map((one) => refer("parameters", `${one.name}`, one)),
    ...(requestBody && {
      requestBody: refer("requestBodies", `${operation.operationId}`, requestBody),
    }),
    responses: mapValues(responses, (one) => {
      const answer = withoutExamples(one);
      return refer("responses", toName(answer), answer);
    }),
  };
}

/** Each field has an example of its own. */
function withoutExamples(answer: Json): Json {
  const { content } = answer as { content?: Record<string, Json> };
  if (content === undefined) return answer;
  return { ...answer, content: mapValues(content, ({ example: _, ...rest }) => rest) };
}

/** The first words of a description that is a sentence. */
function toName({ description }: Json): string {
  return `${description}`.split(/[.,]/)[0] ?? "";
}

/** In all answers, wherever they are. */
function replaceHeaders(value: Json, refer: Refer): Json {
  return mapValues(value, (inner, name) => {
    if (name === "headers") {
      return mapValues(inner as Record<string, Json>, (one, header) =>
        refer("headers", header, one),
      );
    }
    const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    return isObject ? replaceHeaders(inner as Json, refer) : inner;
  });
}

function mapValues<In>(
  values: Record<string, In>,
  map: (value: In, name: string) => unknown,
): Json {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, map(value, name)]),
  );
}
