/** One array for each column of rows without names, for arrayParameters; what a row does not have is null. */
export function valueArrays(
  types: readonly string[],
  rows: readonly (readonly unknown[])[],
): unknown[][] {
  return types.map((_, at) => rows.map((row) => row[at] ?? null));
}
