// Answers are made from tables: every field of a resource once, with its schema and where it comes from. An answer
// is a list of names, so it can neither lose a documented field nor gain another one by accident.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";

export interface FieldOf<T> {
  schema: z.ZodType;
  of(record: T): unknown;
}

type Fields<T> = Record<string, FieldOf<T>>;

/** Exactly the named fields of a record; one that is undefined is left out of the answer. */
export const pick = <T>(
  fields: Fields<T>,
  names: readonly string[],
  record: T,
  more: readonly string[] = [],
): Record<string, unknown> => {
  const answer: Record<string, unknown> = {};
  for (const name of names) answer[name] = fields[name]?.of(record);
  for (const name of more) answer[name] = fields[name]?.of(record);
  return answer;
};

/** The same as a schema: nothing more than these, and nothing less but what is only there on request. */
export const shapeOf = <T>(
  fields: Fields<T>,
  names: readonly string[],
  onRequest: readonly string[] = [],
) => {
  const schemaOf = (name: string) => (fields[name] as FieldOf<T>).schema;
  return z.strictObject({
    ...Object.fromEntries(onRequest.map((name) => [name, schemaOf(name).optional()])),
    ...Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
  });
};

export const listShape = (item: z.ZodType) =>
  z.strictObject({ data: z.array(item), total: z.int(), page: z.int(), limit: z.int() });

export const isoTimeShape = z.iso.datetime({ precision: 3 });

export const isoTime = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();

/** A merchant's metadata comes back as it was given. */
export const metadataShape = z.record(z.string(), z.unknown()).nullable();

export const metadataOf = (json: string | undefined): unknown =>
  json === undefined ? null : JSON.parse(json);
