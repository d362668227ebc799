import { z } from "zod";

/** An object of the document. */
export type Json = Record<string, unknown>;

/** The description that a schema has where its own form would be wrong: a number in a query arrives as text. */
function described(schema: z.core.$ZodType): Json | undefined {
  return z.globalRegistry.get(schema as z.ZodType)?.openapi as Json | undefined;
}

/** The JSON Schema of the schema that validates. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const target = jsonSchema as Json;
      const own = described(zodSchema);
      if (own !== undefined) {
        for (const key of Object.keys(target)) delete target[key];
        Object.assign(target, own);
      }
      // The format says it in one word.
      if (target.format === "date-time" || target.format === "email") delete target.pattern;
    },
  }) as Json;
  return json;
}
