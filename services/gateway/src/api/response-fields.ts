// Answers are made from tables: every field of a resource once, with its schema and where it comes from. An answer
// is a list of names, so it has exactly the documented fields.
import { z } from "zod";
import { integer } from "./field-values.ts";

export interface MessageField<T> {
  schema: z.ZodType;
  of(record: T): unknown;
}

type Fields<T> = Record<string, MessageField<T>>;
type NameIn<F> = keyof F & string;

/** What no answer shows of a record with an amount: it is for the services, or answers say it in another form. */
export type Internal = "projectId" | "mode" | "version" | "baseAmount" | "decimals";

/**
 * The table of a message. A field of the message must have a row of the same name or be listed as kept back, so that a
 * new field cannot be forgotten.
 */
export type MessageFields<M, KeptBack extends keyof M = never> = Fields<M> &
  Record<Exclude<keyof M, KeptBack | "$typeName" | "$unknown">, MessageField<M>>;

export function listNames<F extends object>(fields: F): NameIn<F>[] {
  return Object.keys(fields) as NameIn<F>[];
}

/** Exactly the named fields of a record; one that is undefined is left out of the answer. */
export function pick<T, F extends Fields<T>>(
  fields: F,
  names: readonly NameIn<F>[],
  record: T,
  more: readonly NameIn<F>[] = [],
): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  for (const name of names) answer[name] = (fields[name] as MessageField<T>).of(record);
  for (const name of more) answer[name] = (fields[name] as MessageField<T>).of(record);
  return answer;
}

/** The same as a schema, a component of the OpenAPI document. Fields on request may be absent. */
export function buildShape<T, F extends Fields<T>>(
  name: string,
  fields: F & Fields<T>,
  names: readonly NameIn<F>[],
  onRequest: readonly NameIn<F>[] = [],
) {
  function getSchema(field: NameIn<F>) {
    return (fields[field] as MessageField<T>).schema;
  }

  return z
    .strictObject({
      ...Object.fromEntries(onRequest.map((field) => [field, getSchema(field).optional()])),
      ...Object.fromEntries(names.map((field) => [field, getSchema(field)])),
    })
    .meta({ id: name });
}

export function listShape(name: string, item: z.ZodType) {
  return z
    .strictObject({
      data: z.array(item).describe("Items of this page."),
      total: integer("Number of items in the whole list.", 1),
      page: integer("Page number, from 1.", 1),
      limit: integer("Maximum number of items of a page.", 20),
    })
    .meta({ id: name });
}

/** The resource in a service's response; without one the service is at fault. */
export function requireField<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a service returned no resource");
  return part;
}
