import { z } from "zod";
import type { Route } from "./route.ts";

/** The parameters of the query that take several values. */
export function findLists(query: Route["query"]): ReadonlySet<string> {
  const fields = Object.entries(query?.shape ?? {});
  return new Set(fields.flatMap(([name, schema]) => (isList(schema as z.ZodType) ? [name] : [])));
}

function isList(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional) return isList(schema.unwrap() as z.ZodType);
  const own = z.globalRegistry.get(schema)?.openapi as { type?: string } | undefined;
  return own?.type === "array";
}
