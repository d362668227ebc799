// A statement in a file: its header names the parameters, and its text is what psql would run.
// A list of rows is written as `json_to_recordset($1) as input (id text, …)`, because there PostgreSQL's grammar names
// the columns once. The text that runs reads one array for each column instead.

export interface Parameter {
  number: number;
  name: string;
  isNullable: boolean;
  comment: string;
}

export interface ListColumn {
  name: string;
  type: string;
  isNullable: boolean;
}

export interface StatementFile {
  /** Of the function and of the prepared statement. */
  name: string;
  comment: string[];
  /** False for `-- @unprepared`: each call is planned for its values, e.g. for one of many partitions. */
  isPrepared: boolean;
  parameters: Parameter[];
  /** As it stands in the file, so that the server's positions lead to a line. */
  text: string;
}

export interface RunText {
  text: string;
  /** By the number of their parameter in the file. */
  lists: ReadonlyMap<number, ListColumn[]>;
}

export class StatementError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const PARAMETER = /^--\s*@param\s+(?:\{\w+\}\s+)?\$(\d+):(\w+)(\?)?\s*(.*)$/;

export function parseStatementFile(name: string, text: string): StatementFile {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) throw new StatementError(`"${name}" is not camelCase`, 1);
  const comment: string[] = [];
  const parameters: Parameter[] = [];
  let isPrepared = true;
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.startsWith("--")) break;
    const [, number, parameter = "", isNullable, words = ""] = PARAMETER.exec(line) ?? [];
    if (number === undefined && line.includes("@param")) {
      throw new StatementError("write -- @param $1:name", index + 1);
    }
    if (line === "-- @unprepared") isPrepared = false;
    else if (number === undefined) comment.push(line.replace(/^--\s?/, ""));
    else {
      parameters.push({
        number: Number(number),
        name: parameter,
        isNullable: isNullable !== undefined,
        comment: words,
      });
    }
  }
  if (comment.length === 0) throw new StatementError("begin with a comment that explains it", 1);
  return { name, comment, isPrepared, parameters, text };
}

// Strings and names in quotes are left alone; the two kinds of comments that have a meaning stay.
const STRING_OR_COMMENT =
  /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*\s*(?:null|except [\w, ]+)\s*\*\/|\/\*[\s\S]*?\*\//g;

function isMeaning(comment: string): boolean {
  return /^\/\*\s*(?:null|except )/.test(comment);
}

export function stripComments(text: string): string {
  const stripped = text.replace(STRING_OR_COMMENT, (part) =>
    /^(?:--|\/\*)/.test(part) && !isMeaning(part) ? "" : part,
  );
  const lines = stripped.split("\n").map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== "")
    .join("\n")
    .trim()
    .replace(/;$/, "");
}

const LIST =
  /\bjsonb?_to_recordset\(\s*\$(\d+)\s*\)\s+as\s+(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)/gi;
const COLUMN = /^"?(\w+)"?\s+([^/]+?)\s*(\/\*\s*null\s*\*\/)?$/;

function parseColumns(list: string): ListColumn[] {
  return list.split(/,(?![^(]*\))/).map((column) => {
    const [, name, type, isNullable] = COLUMN.exec(column.trim()) ?? [];
    if (name === undefined || type === undefined) {
      throw new StatementError(`"${column.trim()}" is no column of a list`, 1);
    }
    if (type.endsWith("[]")) throw new StatementError(`${name} of a list cannot be an array`, 1);
    return { name, type, isNullable: isNullable !== undefined };
  });
}

/** The columns of a table of the database, undefined where there is no such table. */
export type FindColumns = (table: string) => readonly string[] | undefined;

/** Makes the text that runs: lists are arrays, parameters are numbered anew, and `payment.*` names its columns. */
export function rewriteStatement(file: StatementFile, findColumns: FindColumns): RunText {
  const source = stripComments(file.text);
  const lists = new Map<number, ListColumn[]>();
  for (const [, number, , columns = ""] of source.matchAll(LIST)) {
    lists.set(Number(number), parseColumns(columns));
  }
  let next = 1;
  const places = new Map<number, number>();
  for (const { number } of file.parameters) {
    places.set(number, next);
    next += lists.get(number)?.length ?? 1;
  }
  const withArrays = source.replace(LIST, (_, number: string, alias: string) => {
    const columns = lists.get(Number(number)) ?? [];
    const from = places.get(Number(number)) ?? 0;
    // A mark of its own, so that these numbers are not taken for those of the file.
    const arrays = columns.map(({ type }, at) => `$#${from + at}::${type}[]`);
    return `unnest(${arrays.join(", ")}) as ${alias} (${columns.map(({ name }) => name).join(", ")})`;
  });
  const text = replaceOutsideStrings(withArrays, /\$(\d+)/g, (_, number: string) => {
    if (lists.has(Number(number))) {
      throw new StatementError(`$${number} is a list and used in another place too`, 1);
    }
    return `$${places.get(Number(number)) ?? number}`;
  }).replaceAll("$#", "$");
  return { text: plainNames(expandStars(text, findColumns)), lists };
}

function replaceOutsideStrings(
  text: string,
  pattern: RegExp,
  replace: (...match: string[]) => string,
): string {
  const either = new RegExp(`'(?:[^']|'')*'|"[^"]*"|${pattern.source}`, "g");
  return text.replace(either, (...match: string[]) =>
    /^['"]/.test(match[0] ?? "") ? (match[0] ?? "") : replace(...match),
  );
}

const ALIAS =
  /(?:\b(?:from|join|update|into|using)|,)\s+(?:only\s+)?(\w+)(?:\s+(?:as\s+)?(\w+))?/gi;
const STAR = /\b(\w+)\.\*(?:\s*\/\*\s*except ([\w, ]+?)\s*\*\/)?/g;
const BARE_STAR = /(?<![.\w])\*\s+from\s+(\w+)|\breturning\s+\*/gi;

// A later column must not change the result of a statement that is prepared already.
function expandStars(text: string, findColumns: FindColumns): string {
  for (const [, table] of text.matchAll(BARE_STAR)) {
    if (table === undefined || findColumns(table) !== undefined) {
      throw new StatementError("give the table a name and write name.*, which is expanded", 1);
    }
  }
  const tables = new Map<string, string>();
  for (const [, table = "", alias = table] of text.matchAll(ALIAS)) {
    if (findColumns(table) === undefined) continue;
    tables.set(table, table);
    tables.set(alias, table);
  }
  return text.replace(STAR, (star, alias: string, except: string | undefined) => {
    const columns = findColumns(tables.get(alias) ?? "");
    if (columns === undefined) return star;
    const left = new Set(except?.split(/[\s,]+/));
    return columns
      .filter((column) => !left.has(column))
      .map((column) => `${alias}.${column}`)
      .join(", ");
  });
}

/** `"id!"` and `"id?"` say whether a column of the result can be null; the column is `id`. */
function plainNames(text: string): string {
  return text.replace(/"(\w+)[!?]"/g, '"$1"').replace(/\s*\/\*\s*null\s*\*\//g, "");
}

const OUTER_JOIN = /\b(?:left|right|full)\s+(?:outer\s+)?join\b/i;

/** Its columns may be null although their table says that they are not. */
export function hasOuterJoin(text: string): boolean {
  return OUTER_JOIN.test(text);
}

/** The line of a position that the server gives, counted from 1. */
export function findLine(text: string, position: number): number {
  return text.slice(0, Math.max(position - 1, 0)).split("\n").length;
}
