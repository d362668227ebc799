// The columns of a package that hold something narrower than their type in SQL, from its `src/column-types.ts`:
//   export interface ColumnTypes { "payment_records.status": Status }   rows have this type
//   export const codecs = { tx_hash: hexBytes }                          bytes of this name travel as another value

export interface ColumnTypes {
  /** `table.column`. */
  narrowed: ReadonlySet<string>;
  /** Names of columns of bytes. */
  codecs: ReadonlySet<string>;
}

export function readColumnTypes(source: string | undefined): ColumnTypes {
  const narrowed = /export interface ColumnTypes \{([\s\S]*?)\n\}/.exec(source ?? "")?.[1] ?? "";
  const codecs = /export const codecs = \{([\s\S]*?)\n?\}/.exec(source ?? "")?.[1] ?? "";
  return {
    narrowed: new Set(Array.from(narrowed.matchAll(/"(\w+\.\w+)":/g), ([, name = ""]) => name)),
    codecs: new Set(Array.from(codecs.matchAll(/(\w+)\s*:/g), ([, name = ""]) => name)),
  };
}
