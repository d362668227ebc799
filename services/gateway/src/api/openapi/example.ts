// Examples are made from those of the fields. A field without one shows null or the first of its values.
import type { Json } from "./json-schema.ts";

const PREFIX = "#/components/schemas/";

export function buildExample(schema: Json, components: Record<string, Json>): unknown {
  if (schema.example !== undefined) return schema.example;
  if (typeof schema.$ref === "string") {
    return buildExample(components[schema.$ref.slice(PREFIX.length)] ?? {}, components);
  }
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.type)) return null;
  const shapes = schema.anyOf as Json[] | undefined;
  if (shapes !== undefined) {
    const isNullable = shapes.some(({ type }) => type === "null");
    return isNullable ? null : buildExample(shapes[0] ?? {}, components);
  }
  if (Array.isArray(schema.enum)) return schema.enum.includes(null) ? null : schema.enum[0];
  if (schema.type === "array") return [buildExample(schema.items as Json, components)];
  if (schema.type === "object") {
    const { properties = {}, required = [] } = schema as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.fromEntries(
      required.map((name) => [name, buildExample(properties[name] ?? {}, components)]),
    );
  }
  return undefined;
}
