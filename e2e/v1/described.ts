// Checks answers against the product's OpenAPI document: which statuses an operation may answer, and in which form.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answer, Ask } from "./ask.ts";

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  additionalProperties?: unknown;
  propertyNames?: Schema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}

interface Response {
  /** Where it is in the document. */
  pointer: string;
  content?: Record<string, unknown>;
  headers?: Record<string, { schema: { examples?: string[] } }>;
}

export interface Operation {
  /** E.g. POST /v1/payments. */
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  security: Record<string, string[]>[];
  responses: Record<string, Response>;
  /** Codes beside those that the response of a status names, by status. */
  ownCodes: Record<string, string[]>;
}

const JSON_CONTENT = "application/json";
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export interface Description {
  operations: Operation[];
  /** The fault of the answer; undefined where there is none. */
  findFaults(operation: Pick<Operation, "responses" | "ownCodes">, answer: Answer): string[];
}

export async function readDescription(ask: Ask): Promise<Description> {
  const { status, body: document } = await ask("GET", "/v1/openapi.json");
  if (status !== 200) throw new Error(`/v1/openapi.json was answered with ${status}`);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", DATE_TIME);
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addFormat("email", /^\S+@\S+\.\S+$/);
  ajv.addSchema(document, "document");
  const validators = new Map<string, ValidateFunction>();
  function getValidator(pointer: string): ValidateFunction {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    validators.set(pointer, validator);
    return validator;
  }

  /** What a reference stands for, and where that is. */
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as its readers do, by path
  function resolve(part: any, place = ""): { part: any; pointer: string } {
    if (part?.$ref === undefined) return { part, pointer: place };
    const pointer: string = part.$ref.slice(1);
    const names = pointer.split("/").slice(1);
    return { part: names.reduce((inner, name) => inner[name], document), pointer };
  }

  /** A schema with what it refers to in place of references. */
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as its readers do, by path
  function inline(value: any): any {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    if (value.$ref !== undefined) return inline(resolve(value).part);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inline(one)]));
  }

  function toResponse(described: object, place: string): Response {
    const { part, pointer } = resolve(described, place);
    const headers = Object.entries(part.headers ?? {}).map(([name, one]) => [
      name,
      resolve(one).part,
    ]);
    return { ...part, pointer, headers: Object.fromEntries(headers) };
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, described]) => {
      const escaped = encodeURI(path.replaceAll("~", "~0").replaceAll("/", "~1"));
      const place = `/paths/${escaped}/${method}/responses`;
      const responses = Object.entries(described.responses as Record<string, object>).map(
        ([code, one]) => [code, toResponse(one, `${place}/${code}`)],
      );
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: (described.parameters ?? []).map(inline),
        body: inline(resolve(described.requestBody).part?.content[JSON_CONTENT].schema),
        security: described.security ?? document.security,
        responses: Object.fromEntries(responses),
        ownCodes: described["x-error-codes"] ?? {},
      };
    }),
  );

  const findFaults: Description["findFaults"] = ({ responses, ownCodes }, answer) => {
    const { status: code, headers, body } = answer;
    const faults: string[] = [];
    if (code >= 500) faults.push(`answered with ${code}`);
    if (headers["x-request-id"] === undefined) faults.push("no X-Request-Id");
    if (code >= 400 && headers["x-error-code"] === undefined) faults.push("no X-Error-Code");
    if (!(code in responses)) return [...faults, `${code} is not described`];
    const type = String(headers["content-type"]).split(";")[0] ?? "";
    // Lines have no value as a whole: their type is described, and each has a form that its own test reads.
    if (responses[code]?.content?.[JSON_CONTENT] === undefined) {
      return type in (responses[code]?.content ?? {})
        ? faults
        : [...faults, `${type} is not described`];
    }
    if (headers["content-type"] !== "application/json; charset=utf-8") faults.push("not JSON");
    const shared = responses[code]?.headers?.["X-Error-Code"]?.schema.examples ?? [];
    const errorCodes = [...shared, ...(ownCodes[code] ?? [])];
    const errorCode = headers["x-error-code"];
    if (code >= 400 && !errorCodes.includes(String(errorCode))) {
      faults.push(`${errorCode} is not described`);
    }
    const validate = getValidator(`${responses[code]?.pointer}/content/application~1json/schema`);
    if (!validate(body)) faults.push(ajv.errorsText(validate.errors));
    if (code >= 400 && body?.statusCode !== code) faults.push("statusCode is another");
    return faults;
  };
  return { operations, findFaults: findFaults };
}

/** Sends the request, and throws if the document does not describe the answer. */
export function judged(ask: Ask, { operations, findFaults }: Description): Ask {
  const forms = operations.map((operation) => ({
    operation,
    form: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return async (method, path, asked) => {
    const answer = await ask(method, path, asked);
    const bare = path.split("?")[0] as string;
    const known = forms.find(
      ({ operation, form }) => operation.method === method && form.test(bare),
    );
    const faults = known === undefined ? [] : findFaults(known.operation, answer);
    if (faults.length === 0) return answer;
    throw new Error(`${method} ${path}: ${faults.join("; ")}: ${answer.status} ${answer.text}`);
  };
}
