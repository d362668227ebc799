// Names of operations, in generated clients and in the audit log. They are stable, because both contain them.
import type { Route } from "./route.ts";

const VERBS = { POST: "create", PUT: "update", DELETE: "delete", GET: "get" } as const;
/** Of a thing that exists. */
const THING_VERBS = { ...VERBS, POST: "update" } as const;
/** Last parts of a path that end with an s and name no collection. */
const SINGLE = new Set(["status"]);
/** Last parts that name one without an s. */
const COLLECTIONS = new Set(["audit", "search"]);
/** Last parts that take more than one method. */
const OF_METHODS = new Set(["x402"]);

/**
 * E.g. payments.create, payments.list, payments.confirm, webhookEndpoints.deliveries.redeliver: the resource from the
 * path,
 * and the verb from the method or the last part of the path.
 */
export function toOperationId({ method, path }: Pick<Route, "method" | "path">): string {
  const parts = path.replace("/v1/", "").split("/");
  const last = parts.at(-1) ?? "";
  const nouns = parts.filter((part) => !part.startsWith("{") && part !== "me").map(camelCase);
  if (last.startsWith("{") || last === "me") return [...nouns, THING_VERBS[method]].join(".");
  // Another last part than a collection is what is done with the thing before it, or what is read of it.
  const isCollection = COLLECTIONS.has(last) || (last.endsWith("s") && !SINGLE.has(last));
  if (OF_METHODS.has(last)) return [...nouns, VERBS[method]].join(".");
  if (!isCollection && nouns.length > 1) return nouns.join(".");
  if (!isCollection) return [...nouns, VERBS[method]].join(".");
  return [...nouns, method === "GET" ? "list" : VERBS[method]].join(".");
}

function camelCase(part: string): string {
  return part.replace(/-(\w)/g, (_, first: string) => first.toUpperCase());
}
