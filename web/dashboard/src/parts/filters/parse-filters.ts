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

/** The same, with the record that is open beside the list. */
export function withOpen<Search extends object>(
  parse: (search: Record<string, unknown>) => Search,
) {
  return (search: Record<string, unknown>): Search & { open?: string | undefined } => {
    const { open } = search;
    return { ...parse(search), ...(typeof open === "string" && open !== "" && { open }) };
  };
}
