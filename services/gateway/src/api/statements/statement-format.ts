// The two forms of a statement: JSON in lines, and CSV for spreadsheets. A merchant's text may begin like a formula,
// which a spreadsheet would run.

/** A value of a row. Amounts are text, so that no reader rounds them. */
export type Cell = string | number | null;

export interface Format {
  contentType: string;
  /** What comes before the rows. */
  head(names: readonly string[]): string;
  row(row: Readonly<Record<string, Cell>>): string;
}

const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const SPECIAL = /[",\r\n;\t]/;

function csvCell(value: Cell): string {
  if (value === null) return "";
  const text = String(value);
  if (FORMULA.test(text)) return `"'${text.replaceAll('"', '""')}"`;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

const JSON_LINES: Format = {
  contentType: "application/jsonl; charset=utf-8",
  head: () => "",
  row: (row) => `${JSON.stringify(row)}\n`,
};

const CSV: Format = {
  contentType: "text/csv; charset=utf-8; header=present",
  head: csvLine,
  row: (row) => csvLine(Object.values(row)),
};

/** Some spreadsheets take CSV without a byte order mark for text in another encoding. */
const MARKED_CSV: Format = { ...CSV, head: (names) => `\ufeff${csvLine(names)}` };

/** CSV only for those who name it. */
export function formatFor(accept: string | undefined, hasMark = false): Format {
  if (!/\btext\/csv\b/.test(accept ?? "")) return JSON_LINES;
  return hasMark ? MARKED_CSV : CSV;
}
