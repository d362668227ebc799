// What the interface's document says of one call.
export type Json = Record<string, unknown>;

export interface Operation {
  operationId: string;
  summary: string;
  deprecated?: boolean;
  security: Json[];
  parameters: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: Json;
  }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content: Record<string, { schema: Json }> }>;
}

export interface Placed extends Operation {
  method: string;
  path: string;
}

export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function toAnswer({ responses }: Operation): Json {
  const [status = ""] = Object.keys(responses);
  return responses[status]?.content["application/json"]?.schema ?? {};
}

/** Lines that come one after the other are a file to store and no value that a method could return. */
export function isValue({ responses }: Operation): boolean {
  const [status = ""] = Object.keys(responses);
  return responses[status]?.content["application/json"] !== undefined;
}

export function getName(operationId: string): string {
  return operationId.split(".").map(capital).join("");
}

export function findQuery({ parameters }: Operation): Json | undefined {
  const inQuery = parameters.filter((one) => one.in === "query");
  if (inQuery.length === 0) return undefined;
  const properties = inQuery.map(({ name, description, schema }) => [
    name,
    { description, ...schema },
  ]);
  const required = inQuery.flatMap((one) => (one.required ? one.name : []));
  return { properties: Object.fromEntries(properties), required };
}

export function isWalked({ parameters }: Operation): boolean {
  return parameters.some((one) => one.in === "query" && one.name === "after");
}

/** What the client has to know of a call beside its method and path. */
export function listMarks(operation: Placed): string[] {
  const [way = {}] = operation.security;
  const keyed = operation.parameters.some((one) => one.name === "Idempotency-Key");
  return [
    ...("publishableKey" in way ? ["publishable"] : []),
    ...(keyed ? ["keyed"] : []),
    ...(operation.requestBody ? ["body"] : []),
    ...(findQuery(operation) ? ["query"] : []),
    ...(isWalked(operation) ? ["walked"] : []),
  ];
}
