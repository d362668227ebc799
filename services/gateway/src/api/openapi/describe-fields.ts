import { describeField } from "./field-descriptions.ts";
import type { Json } from "./json-schema.ts";

/** Every field gets its description; one that the schema itself has stays. */
export function describeFields(schema: Json, place: string): Json {
  const described = { ...schema };
  if (schema.properties !== undefined) {
    described.properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, Json>).map(([name, value]) => {
        const description = describeField(place, name);
        return [name, { ...(description && { description }), ...describeFields(value, name) }];
      }),
    );
  }
  for (const key of ["anyOf", "oneOf"]) {
    const shapes = schema[key] as Json[] | undefined;
    if (shapes !== undefined) described[key] = shapes.map((one) => describeFields(one, place));
  }
  if (typeof schema.items === "object") {
    described.items = describeFields(schema.items as Json, place);
  }
  return described;
}
