// A route is data. The one table of routes makes the routing, the answers to wrong methods, the validation, the CORS
// rules and the OpenAPI document; a handler calls services and renders their answers.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FailureCode } from "@pay/failures";
import type { Payment } from "@pay/proto";
import type { IdPrefix, Tenant } from "@pay/values";
import type { z } from "zod";
import type { AuditRule, AuditTrail } from "../audit/trail.ts";
import type { RepeatableCall } from "../idempotency/repeatable-call.ts";
import type { Caller, FieldNeeds, Scope } from "../keys/caller.ts";
import type { Services } from "../services/services.ts";
import type { Shopper } from "../sessions/customer-sessions.ts";
import type { Deps } from "./deps.ts";

/** What an id in a path may name, and how its absence is refused. */
export const NOT_FOUND = {
  Payment: "payment_not_found",
  Customer: "customer_not_found",
  Refund: "refund_not_found",
  Settlement: "settlement_not_found",
  "Settlement destination": "settlement_destination_not_found",
  Key: "api_key_not_found",
  Member: "member_not_found",
  Transfer: "transfer_not_found",
  "Webhook endpoint": "endpoint_not_found",
} as const satisfies Record<string, FailureCode>;

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Which key a request needs: the secret one, the publishable one, or none. */
export type Auth = "secret" | "publishable" | "none";

/** Which bucket a request draws from besides its project's own. */
export type LimitClass = "address" | "standard" | "public" | "confirm" | "open" | "sso";

/** Path parameters by name, of which a handler reads those in its path; an id has the right form by now. */
export type Params = Record<
  "id" | "chainId" | "deliveryId" | "day" | "month" | "name" | "asset" | "payer" | "nonce",
  string
>;

/** One validated request. */
export interface Call<Q = unknown, B = unknown> extends RepeatableCall {
  /** With its trace. */
  requestId: string;
  caller: Caller;
  tenant: Tenant;
  /** The other services, called for this tenant and this request. */
  services: Services;
  params: Params;
  query: Q;
  body: B;
  /** As it was sent. */
  queryText: string;
  header(name: string): string | undefined;
  /** Adds a header to the answer. */
  reply(name: string, value: string): void;
  audit: Pick<AuditTrail, "record">;
}

/** The same, made with a shopper's session. */
export interface ShopperCall<Q = unknown, B = unknown> extends Call<Q, B> {
  shopper: Shopper;
}

/**
 * What a request with a session gets. It has a handler of its own, so that no merchant's handler can ever serve a
 * shopper.
 */
export interface ShopperSide<Q extends z.ZodObject, B extends z.ZodObject> {
  /** Where it takes another body than the merchant's. */
  body?: B;
  /** What `expand` may name; a session sees nothing that merchants write for themselves alone. */
  shown?: readonly string[];
  handle(call: ShopperCall<z.output<Q>, z.output<B>>, deps: Deps): Promise<object>;
}

/** The same, made with the payment's client secret in a header. */
export interface ClientCall<Q = unknown, B = unknown> extends Call<Q, B> {
  payment: Payment;
}

/** What a request with a payment's client secret in its header gets; it needs no key. */
export interface ClientSide<Q extends z.ZodObject, B extends z.ZodObject> {
  /** Where it takes another body than a request with the key. */
  body?: B;
  /** Present where a ticket in the address may be used instead of the header. */
  takesTicket?: true;
  handle(call: ClientCall<z.output<Q>, z.output<B>>, deps: Deps): Promise<object>;
}

/** A request whose answer goes on until one side ends it, with the credential that it was made with. */
export interface Following<Q = unknown> {
  call: Call<Q> & { shopper?: Shopper | undefined; payment?: Payment | undefined };
  /** On the clock of performance.now. */
  arrivedMs: number;
  request: IncomingMessage;
  response: ServerResponse;
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
}

export interface RequestHeader {
  name: string;
  description: string;
  maxLength: number;
}

export interface RouteSpec<
  Q extends z.ZodObject,
  B extends z.ZodObject,
  S extends z.ZodObject = B,
  C extends z.ZodObject = B,
> {
  auth: Auth;
  /** The scope that a restricted key needs. */
  scope?: Scope;
  /** Whether a member who may refund up to limits needs no scope. */
  limited?: true;
  /** Whether a member must prove anew, in live mode, to be there. */
  confirmed?: true;
  /** Fields of the body that need more than the route does. */
  needs?: FieldNeeds;
  audit?: AuditRule;
  /** Present where it belongs to the older shape of the interface. */
  deprecated?: true;
  tag: string;
  summary: string;
  /** What {id} in the path names. A text of another form is not found, without a call to a service. */
  id?: { prefix: IdPrefix; noun: keyof typeof NOT_FOUND };
  /** Headers that it reads besides those that all routes read. */
  headers?: readonly RequestHeader[];
  query?: Q;
  body?: B;
  /** Present where the answer to a PUT is kept under its Idempotency-Key, as it is to every POST. */
  repeatable?: true;
  response: z.ZodType;
  /**
   * Present where the answer is lines that are sent as they come, each of the form of `response`: their types, the
   * default first.
   */
  lines?: readonly string[];
  /** Present where a client that has the answer already gets 304: the same text for the same answer. */
  getTag?: (answer: Record<string, unknown>) => string;
  /** Present where `Accept: text/event-stream` gets an answer that goes on; no other handler is called then. */
  follow?: {
    description: string;
    open(following: Following<z.output<Q>>, deps: Deps): Promise<void>;
  };
  success: 200 | 201;
  /** Fields of the documented examples that differ from the examples of the fields themselves. */
  example?: { request?: object; response?: object };
  /** Failures that it can give besides those of all routes of its kind. */
  failures?: readonly FailureCode[];
  limit: LimitClass;
  handle(call: Call<z.output<Q>, z.output<B>>, deps: Deps): Promise<object>;
  /** Present where a session beside the publishable key may be used instead. */
  session?: ShopperSide<Q, S>;
  /** Present where X-Client-Secret may be used instead, with the publishable key or without it. */
  client?: ClientSide<Q, C>;
}

export type AnyRouteSpec = RouteSpec<z.ZodObject, z.ZodObject>;

/** A row of the table. */
export interface Route extends AnyRouteSpec {
  method: Method;
  /** With parameters as {name}. */
  path: string;
}

/** Gives a handler the types of its own schemas; in the table all routes have one type. */
export function route<
  Q extends z.ZodObject,
  B extends z.ZodObject,
  S extends z.ZodObject = B,
  C extends z.ZodObject = B,
>(spec: RouteSpec<Q, B, S, C>): AnyRouteSpec {
  return spec as unknown as AnyRouteSpec;
}

export function listRoutes(table: Readonly<Record<`${Method} /${string}`, AnyRouteSpec>>): Route[] {
  return Object.entries(table).map(([name, spec]) => {
    const [method, path] = name.split(" ") as [Method, string];
    return { ...spec, method, path };
  });
}

/** Whether a repetition under the same Idempotency-Key gets the first answer again. */
export function isRepeatable({
  method,
  repeatable,
}: Pick<Route, "method" | "repeatable">): boolean {
  return method === "POST" || repeatable === true;
}

/** Whether the dashboard may call for a member: whatever a secret key may, and what all shoppers may read. */
export function isOpenToMembers({ auth, method, client }: Route): boolean {
  return auth === "secret" || (auth === "publishable" && method === "GET" && client === undefined);
}

/** Whether web pages may call: with the key they may hold, or with a session beside it. */
export function isOpenToPages({ auth, session }: Route): boolean {
  return auth === "publishable" || session !== undefined;
}

/** A request, and what the product knows about it. */
export interface Incoming {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  params: Params;
  path: string;
  queryText: string;
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  /** When it arrived, on the clock of performance.now. */
  arrivedMs: number;
  /** Set once the key is known. */
  caller?: Caller;
}
