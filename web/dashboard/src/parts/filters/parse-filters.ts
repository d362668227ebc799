import type { FilterSearch, FilterTable } from "./controls.ts";

/** What an address says of the filters; an empty value is none. */
export function parseFilters<T extends FilterTable>(table: T) {
  const names = [...Object.keys(table), "after"];
  return (search: Record<string, unknown>): FilterSearch<T> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === "string" && value !== "" ? [[name, value]] : [];
      }),
    ) as FilterSearch<T>;
}
