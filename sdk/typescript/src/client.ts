// The client of a merchant's server. Its methods follow from the table of operations, which follows from the interface.
import { OPERATIONS, type Resources, VERSION } from "./api/operations.ts";
import type { CallOptions } from "./calls.ts";
import { createPages } from "./pages.ts";
import { createReconcile, type Reconcile } from "./reconcile.ts";
import { type Call, type Fetch, send } from "./request.ts";

export interface PayOptions {
  /** Where the service is, e.g. https://pay.example.com. */
  baseUrl: string;
  /** `sk_…` or `rk_…`, for servers only. */
  secretKey?: string;
  /** `pk_…`, for the calls that read public data. */
  publishableKey?: string;
  /** Stands in for the global one, e.g. to go through a proxy. */
  fetch?: Fetch;
}

export type Pay = Resources & { readonly events: { readonly reconcile: Reconcile } };

interface Operation {
  id: string;
  method: string;
  path: string;
  marks: ReadonlySet<string>;
}

export function createPay(options: PayOptions): Pay {
  const base = new URL(options.baseUrl).href.replace(/\/$/, "");
  const pay: Tree = {};
  for (const [id, text] of Object.entries(OPERATIONS)) {
    const [method = "", path = "", ...marks] = text.split(" ");
    const operation = { id, method, path, marks: new Set(marks) };
    place(pay, id.split("."), createMethod(operation, { ...options, baseUrl: base }));
  }
  const made = pay as unknown as Resources;
  place(pay, ["events", "reconcile"], createReconcile(made.events));
  return made as Pay;
}

type Method = (...given: never[]) => unknown;

interface Tree {
  [name: string]: Tree | Method;
}

function place(tree: Tree, [name = "", ...rest]: readonly string[], method: Method): void {
  if (rest.length === 0) {
    tree[name] = method;
    return;
  }
  tree[name] ??= {};
  place(tree[name] as Tree, rest, method);
}

type Query = Record<string, unknown>;

/** Ids of the path first, then the body or else the query, then the options. */
function createMethod(operation: Operation, options: PayOptions): Method {
  const { path, marks } = operation;
  const ids = path.match(/\{\w+\}/g) ?? [];
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  function method(...given: unknown[]): unknown {
    const rest = given.slice(ids.length);
    const filled = ids.reduce(
      (text, id, at) => text.replace(id, encodeURIComponent(toSegment(id, given[at]))),
      path,
    );
    const body = marks.has("body") ? rest.shift() : undefined;
    const ownQuery = marks.has("query") && !marks.has("body") ? rest.shift() : undefined;
    const chosen = (rest[0] ?? {}) as CallOptions<Query>;
    const query = (ownQuery ?? chosen.query ?? {}) as Query;

    function ask(more: Query) {
      const call = toCall(operation, options, {
        path: filled,
        query: { ...query, ...more },
        body,
        chosen,
      });
      return send<{ data: { id: string }[]; hasMore?: boolean }>(call, chosen, fetch);
    }

    if (!marks.has("walked")) return ask({}).then(({ answer }) => answer);
    return createPages(query.after as string | undefined, async (after) => {
      // A walk goes by ids; a page by its number is for `page()` alone.
      const { answer, headers } = await ask(after === undefined ? {} : { after, page: undefined });
      const next = answer.hasMore === true ? answer.data.at(-1)?.id : headers.get("X-Next-After");
      return { answer, next: next ?? null };
    });
  }

  return method;
}

/** An empty id would ask for the list instead of the thing, and dots for another path. */
function toSegment(name: string, value: unknown): string {
  if (typeof value === "number" || (typeof value === "string" && !/^\.*$/.test(value))) {
    return `${value}`;
  }
  throw new TypeError(`${name.slice(1, -1)} is missing`);
}

interface Asked {
  path: string;
  query: Query;
  body: unknown;
  chosen: CallOptions<Query>;
}

function toCall({ method, marks, id }: Operation, options: PayOptions, asked: Asked): Call {
  const { body, chosen } = asked;
  const isPublic = marks.has("publishable");
  const key = isPublic ? options.publishableKey : options.secretKey;
  const name = isPublic ? "publishableKey" : "secretKey";
  if (key === undefined) throw new TypeError(`${id} needs the ${name} of the client`);
  const isKeyed = marks.has("keyed");
  return {
    method,
    url: options.baseUrl + asked.path + toSearch(asked.query),
    headers: {
      [isPublic ? "X-Publishable-Key" : "X-Secret-Key"]: key,
      "X-Service-Version": VERSION,
      // An order id alone would choose the older shape.
      "X-Service-Variant": "primary",
      ...(isKeyed && { "Idempotency-Key": chosen.idempotencyKey ?? crypto.randomUUID() }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isRepeatable: isKeyed || method === "GET" || method === "PUT",
  };
}

/** Several values of one parameter are one text with commas. */
function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}
