// The design of a shop as the form has it: texts, empty for none.
import type { Settings } from "../../api/project.ts";

export const FIELDS = ["displayName", "primaryColor", "logoUrl", "theme", "supportUrl"] as const;

export type Field = (typeof FIELDS)[number];
export type Design = Record<Field, string>;

export const COLOR = /^#[\da-f]{6}$/i;

export function readDesign({ brandingConfig }: Settings): Design {
  const design: Partial<Design> = {};
  for (const field of FIELDS) {
    const value = brandingConfig?.[field];
    design[field] = typeof value === "string" ? value : "";
  }
  return design as Design;
}

/** A design that is saved has no field that is empty. */
export function toBranding(design: Design): Partial<Design> {
  return Object.fromEntries(
    FIELDS.map((field) => [field, design[field].trim()]).filter(([, value]) => value !== ""),
  );
}
