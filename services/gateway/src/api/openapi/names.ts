// Names that generated clients get from the document: stable, because a client's code holds them.
import type { Route } from "../../pipeline/route.ts";

const VERBS = { POST: "create", PUT: "update", DELETE: "delete", GET: "get" } as const;
/** Last parts of a path that end with an s and name no collection. */
const SINGLE = new Set(["status"]);

/**
 * E.g. payments.create, payments.list, payments.confirm, webhookEndpoints.deliveries.redeliver: the resource from the path,
 * and the verb from the method or the last part of the path.
 */
export function toOperationId({ method, path }: Pick<Route, "method" | "path">): string {
  const parts = path.replace("/v1/", "").split("/");
  const last = parts.at(-1) ?? "";
  const nouns = parts.filter((part) => !part.startsWith("{") && part !== "me").map(camelCase);
  if (last.startsWith("{") || last === "me") return [...nouns, VERBS[method]].join(".");
  // Another last part than a collection is what is done with the thing before it, or what is read of it.
  if (!last.endsWith("s") || SINGLE.has(last)) return nouns.join(".");
  return [...nouns, method === "GET" ? "list" : VERBS[method]].join(".");
}

function camelCase(part: string): string {
  return part.replace(/-(\w)/g, (_, first: string) => first.toUpperCase());
}

const PAST = { create: "Created", update: "Updated" } as const;

/** What the operation answers with, e.g. Payment, CreatedPayment, PaymentList, PaymentConfirm. */
export function toComponentName(operationId: string): string {
  const parts = operationId.split(".");
  const verb = parts.pop() ?? "";
  const noun = parts.map((part) => capital(singular(part))).join("");
  if (verb === "get") return noun;
  // Every deletion has the same answer.
  if (verb === "delete") return "Deleted";
  if (verb in PAST) return `${PAST[verb as keyof typeof PAST]}${noun}`;
  return noun + capital(verb);
}

function singular(part: string): string {
  return part.endsWith("ies") ? `${part.slice(0, -3)}y` : part.replace(/s$/, "");
}

function capital(part: string): string {
  return part.charAt(0).toUpperCase() + part.slice(1);
}
