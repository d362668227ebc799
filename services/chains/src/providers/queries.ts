// The ways in which a provider is asked. Each decodes what comes back.
import type { Call } from "./endpoint.ts";
import type { RpcError } from "./rpc-error.ts";

/** Asks one provider; undefined from the decoder means that the answer cannot be true. */
export type Query = <T>(
  method: string,
  params: readonly unknown[],
  decode: (answer: unknown) => T | undefined,
) => Promise<T>;

/** The same for many calls at once, in requests of a bounded size. */
export type QueryMany = <T>(
  calls: readonly Call[],
  decode: (answer: unknown, at: number) => T | undefined,
  paging?: Paging,
) => Promise<T[]>;

/** The same for calls that travel as one request, whose answers make sense only together. */
export type QueryAll = <T>(
  calls: readonly Call[],
  decode: (answers: readonly unknown[]) => T | undefined,
) => Promise<T>;

/** Calls in one request, the first one and any. */
export interface Paging {
  readonly start: number;
  readonly max: number;
}

/** The same where each call has its own end; an error of the whole request stands in each place. */
export type QueryEach = <T>(
  calls: readonly Call[],
  decode: (answer: unknown) => T | undefined,
) => Promise<(T | RpcError)[]>;

export interface Queries {
  query: Query;
  queryAll: QueryAll;
  queryMany: QueryMany;
  queryEach: QueryEach;
}
