// The controls of a list's filters, made from the table that the API's document gives. Names are those of the API,
// because the address of a page is the state of its filters.

export interface FilterSpec {
  kind: "choices" | "choice" | "time" | "text";
  values?: readonly string[];
}

export type FilterTable = Readonly<Record<string, FilterSpec>>;

/** Two ends are one control: createdFrom and createdTo are `created`, from and to are `time`. */
type ControlName<T> = {
  [Name in keyof T]: [Name, "to"] extends ["from", keyof T]
    ? "time"
    : Name extends `${infer Base}From`
      ? Base
      : Name extends "to" | `${string}To`
        ? never
        : Name;
}[keyof T] &
  string;

type ControlWords<Spec> = Spec extends { values: readonly (infer Value extends string)[] }
  ? { label: string; values: Readonly<Record<Value, string>> }
  : { label: string; hint?: string };

/** A filter or a value without a word does not compile. */
export type FilterWords<T> = {
  readonly [Name in ControlName<T>]: ControlWords<Name extends keyof T ? T[Name] : FilterSpec>;
};

export type FilterValues = { readonly [name in string]?: string | undefined };

export interface Control {
  kind: FilterSpec["kind"] | "period" | "range";
  name: string;
  label: string;
  hint?: string;
  /** With their words. */
  choices: readonly (readonly [value: string, word: string])[];
  /** The filters that it sets, of which a pair is in order. */
  filters: readonly string[];
}

interface AnyWords {
  label: string;
  hint?: string;
  values?: Readonly<Record<string, string>>;
}

export function listControls<T extends FilterTable>(table: T, words: FilterWords<T>): Control[] {
  return Object.entries(table).flatMap(([filter, { kind, values = [] }]) => {
    if (/(^t|T)o$/.test(filter)) return [];
    const isTime = filter === "from" && "to" in table;
    const name = isTime ? "time" : filter.replace(/From$/, "");
    const { label, hint, values: names } = (words as Record<string, AnyWords>)[name] as AnyWords;
    const isPair = name !== filter;
    const ends = kind === "time" ? ("period" as const) : ("range" as const);
    return {
      kind: isPair ? ends : kind,
      name,
      label,
      ...(hint !== undefined && { hint }),
      choices: values.map((value) => [value, names?.[value] ?? value] as const),
      filters: isPair ? [filter, isTime ? "to" : `${name}To`] : [filter],
    };
  });
}

/** The filters in the address of a list, and where its page begins. */
export type FilterSearch<T> = { [name in (keyof T & string) | "after"]?: string | undefined };

export function isSet({ filters }: Control, values: FilterValues): boolean {
  return filters.some((filter) => values[filter] !== undefined);
}
