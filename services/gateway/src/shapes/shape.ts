import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";

export interface FieldOf<T> {
  schema: z.ZodType;
  of(record: T): unknown;
}

/** Exactly the named fields of a record; one that is undefined is left out of the answer. */
export const pick = <T>(
  fields: Record<string, FieldOf<T>>,
  names: readonly string[],
  record: T,
): Record<string, unknown> => {
  const answer: Record<string, unknown> = {};
  for (const name of names) answer[name] = fields[name]?.of(record);
  return answer;
};

/** The same as a schema: nothing more, nothing less. */
export const shapeOf = <T>(fields: Record<string, FieldOf<T>>, names: readonly string[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, (fields[name] as FieldOf<T>).schema])),
  );

export const listShape = (item: z.ZodType) =>
  z.strictObject({ data: z.array(item), total: z.int(), page: z.int(), limit: z.int() });

export const isoTime = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();
