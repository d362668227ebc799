// A route is data. The one table of routes makes the routing, the answers to wrong methods, the validation, the
// CORS rules and the OpenAPI document; a handler only calls and renders.
import type { IdPrefix } from "@pay/money";
import type { z } from "zod";
import type { Caller, Scope } from "./caller.ts";
import type { Deps } from "./deps.ts";
import type { Shopper } from "./sso/shoppers.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Which key opens the route: the secret one, the publishable one, or none. */
export type Auth = "secret" | "publishable" | "none";

/** Which bucket a request draws from besides its project's own. */
export type LimitClass = "none" | "standard" | "public" | "confirm" | "sso";

export interface Idempotency {
  route: string;
  key: string;
  fingerprint: Uint8Array;
}

/** Path parameters by name, of which a handler reads those in its path; an id has the right form by now. */
export type Params = Record<"id" | "chainId" | "deliveryId", string>;

/** One validated request. */
export interface Call<Q = unknown, B = unknown> {
  requestId: string;
  caller: Caller;
  params: Params;
  query: Q;
  body: B;
  header(name: string): string | undefined;
  /** Set when the merchant sent an Idempotency-Key. The salt is what decides the outcome besides path and body. */
  idempotency(salt?: string): Idempotency | undefined;
  /** Adds a header to the answer. */
  reply(name: string, value: string): void;
}

/** The same, made with a shopper's session. */
export interface ShopperCall<Q = unknown, B = unknown> extends Call<Q, B> {
  shopper: Shopper;
}

/**
 * What a session gets where it opens a route. It has a handler of its own, so that no merchant's handler can ever
 * serve a shopper.
 */
export interface ShopperSide<Q extends z.ZodObject, B extends z.ZodObject> {
  /** Where it takes another body than the merchant's. */
  body?: B;
  handle(call: ShopperCall<z.output<Q>, z.output<B>>, deps: Deps): Promise<object>;
}

export interface RouteSpec<
  Q extends z.ZodObject,
  B extends z.ZodObject,
  S extends z.ZodObject = B,
> {
  method: Method;
  /** With parameters as {name}. */
  path: string;
  auth: Auth;
  /** What a restricted key needs to be given. */
  scope?: Scope;
  tag: string;
  summary: string;
  /** What {id} in the path names: a text without its form is not found without asking anybody. */
  id?: { prefix: IdPrefix; noun: string };
  query?: Q;
  body?: B;
  response: z.ZodType;
  success: 200 | 201;
  limit: LimitClass;
  handle(call: Call<z.output<Q>, z.output<B>>, deps: Deps): Promise<object>;
  /** Present where a session, beside the publishable key, opens the route too. */
  session?: ShopperSide<Q, S>;
}

export type Route = RouteSpec<z.ZodObject, z.ZodObject>;

/** Lets a handler see the types its own schemas give; in the table all routes are of one type. */
export const route = <Q extends z.ZodObject, B extends z.ZodObject, S extends z.ZodObject = B>(
  spec: RouteSpec<Q, B, S>,
): Route => spec as unknown as Route;

/** Whether web pages may call: with the key they may hold, or with a session beside it. */
export const isOpenToPages = ({ auth, session }: Route): boolean =>
  auth === "publishable" || session !== undefined;
