// Gives schemas names. Clients that are generated from a document without names have no type for a payment.
import type { Json } from "./json-schema.ts";

export interface Components {
  /** The schema under a name: a reference to it, or to the one of another name that is the same. */
  add(name: string, schema: Json): Json;
  schemas(): Record<string, Json>;
}

export function createComponents(first: Record<string, Json>): Components {
  const named = new Map(Object.entries(first));
  const getName = new Map([...named].map(([name, schema]) => [JSON.stringify(schema), name]));

  function store(name: string, schema: Json): Json {
    const text = JSON.stringify(schema);
    const known = getName.get(text);
    if (known === undefined) {
      if (named.has(name)) throw new Error(`two schemas are called ${name}`);
      named.set(name, schema);
      getName.set(text, name);
    }
    return { $ref: `#/components/schemas/${known ?? name}` };
  }

  /** Either shape of a payment, an item of a list and each object inside gets a name of its own. */
  function split(name: string, schema: Json): Json {
    const shapes = schema.anyOf as Json[] | undefined;
    if (shapes?.every(isObject) && shapes.length > 1) {
      const names = ["Primary", "B"];
      const refs = shapes.map((shape, at) =>
        store(`${name}${names[at] ?? at}`, {
          ...inner(name, shape),
          ...(names[at] === "B" && { deprecated: true }),
        }),
      );
      return store(name, { ...schema, anyOf: refs });
    }
    return isObject(schema) ? store(name, inner(name, schema)) : schema;
  }

  function inner(name: string, schema: Json): Json {
    const properties = Object.entries(schema.properties as Record<string, Json>).map(
      ([field, value]) => [field, ofField(name, field, value)],
    );
    return { ...schema, properties: Object.fromEntries(properties) };
  }

  function ofField(name: string, field: string, value: Json): Json {
    if (value.type !== "array" || typeof value.items !== "object") return value;
    const item = field === "data" ? name.replace(/List$/, "Item") : name + capital(field);
    return { ...value, items: split(item, value.items as Json) };
  }

  return {
    add: (name, schema) => {
      if (schema.type !== "array") return split(name, schema);
      return { ...schema, items: split(name.replace(/List$/, ""), schema.items as Json) };
    },
    schemas: () => Object.fromEntries([...named].sort(([one], [two]) => (one < two ? -1 : 1))),
  };
}

function isObject(schema: Json): boolean {
  return schema.type === "object" && schema.properties !== undefined;
}

function capital(field: string): string {
  return field.charAt(0).toUpperCase() + field.slice(1);
}
