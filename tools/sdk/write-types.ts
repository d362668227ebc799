// TypeScript from the JSON Schemas of the interface's document. It covers what that document uses and refuses the rest,
// so that no field silently becomes `any`.
type Json = Record<string, unknown>;

/** Names of other schemas that a text mentions. */
export type Mention = (name: string) => void;

export function describeType(schema: Json, mention: Mention): string {
  const name = findReference(schema);
  if (name !== undefined) {
    mention(name);
    return name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return union((schema.enum as unknown[]).map((one) => JSON.stringify(one)));
  const shapes = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (shapes !== undefined) return union(shapes.map((one) => describeType(one, mention)));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => describeType({ ...schema, type }, mention)));
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `Array<${describeType((schema.items ?? {}) as Json, mention)}>`;
    case "object":
      return objectType(schema, mention);
    case undefined:
      return "unknown";
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function findReference(schema: Json): string | undefined {
  const reference = schema.$ref as string | undefined;
  return reference?.replace("#/components/schemas/", "");
}

function union(types: string[]): string {
  return [...new Set(types)].join(" | ");
}

function objectType(schema: Json, mention: Mention): string {
  if (schema.properties !== undefined) return listFields(schema, mention);
  const values = schema.additionalProperties;
  const value = typeof values === "object" ? describeType(values as Json, mention) : "unknown";
  return `Record<string, ${value}>`;
}

/** Of what callers write, a field may also be there without a value. */
export function writeRequest(schema: Json, mention: Mention): string {
  return listFields(schema, mention).replace(/\?: ([^;]+);\n/g, "?: $1 | undefined;\n");
}

export function listFields(schema: Json, mention: Mention): string {
  const required = new Set((schema.required ?? []) as string[]);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const lines = fields.map(([name, field]) => {
    const said = field.description === undefined ? "" : `/** ${field.description} */\n`;
    return `${said}${name}${required.has(name) ? "" : "?"}: ${describeType(field, mention)};`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

/** A thing that is answered in one of several shapes, as one: what is not in each of them may be missing. */
export function merged(shapes: readonly Json[]): Json {
  const properties: Record<string, Json> = {};
  for (const shape of shapes) {
    for (const [name, field] of Object.entries(shape.properties as Record<string, Json>)) {
      const before = properties[name];
      properties[name] = before === undefined ? field : either(before, field);
    }
  }
  const required = Object.keys(properties).filter((name) =>
    shapes.every((shape) => (shape.required as string[]).includes(name)),
  );
  return { type: "object", properties, required };
}

function either(one: Json, other: Json): Json {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const { description } = one;
  return { anyOf: [one, other], ...(description !== undefined && { description }) };
}
