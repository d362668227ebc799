import { z } from "zod";

/** An object of the document. */
export type Json = Record<string, unknown>;

/** A schema may carry a description of its own: a number in a query arrives as text. */
function getOwnDescription(schema: z.core.$ZodType): Json | undefined {
  return z.globalRegistry.get(schema as z.ZodType)?.openapi as Json | undefined;
}

function convert(schema: z.ZodType, io: "input" | "output"): Json {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const target = jsonSchema as Json;
      const own = getOwnDescription(zodSchema);
      if (own !== undefined) {
        for (const key of Object.keys(target)) if (key !== "description") delete target[key];
        Object.assign(target, own);
      }
      // What JavaScript can count says nothing about a field.
      if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum;
      if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum;
      // The format says it in one word.
      if (target.format === "date-time" || target.format === "email") delete target.pattern;
    },
  }) as Json;
}

/** The JSON Schema of the schema that validates. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = convert(schema, io);
  return json;
}

/** Schemas of responses by name, and the components that they refer to: every schema with an id is one. */
export function toComponents(responses: Record<string, z.ZodType>) {
  const text = JSON.stringify(convert(z.strictObject(responses), "output"));
  const { properties, $defs } = JSON.parse(text.replaceAll("#/$defs/", "#/components/schemas/"));
  return {
    responses: properties as Record<string, Json>,
    components: $defs as Record<string, Json>,
  };
}

export function mapValues<In>(
  values: Record<string, In>,
  map: (value: In, name: string) => unknown,
): Json {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, map(value, name)]),
  );
}
