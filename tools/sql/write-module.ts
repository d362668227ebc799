// The module of a package's statements: a documented, typed function for each file.
import type { ColumnTypes } from "./column-types.ts";
import type { Catalog, Described } from "./describe.ts";
import {
  hasOuterJoin,
  type Parameter,
  type RunText,
  StatementError,
  type StatementFile,
} from "./statement-file.ts";

export interface ReadStatement {
  file: StatementFile;
  run: RunText;
  /** Of the text in the file, where `"name!"` has its mark. */
  source: Described;
  /** Of the text that runs. */
  described: Described;
}

type Kind = "text" | "time" | "json" | "bytes";

/** A type of SQL: what a row holds, what an input may be where that is more, and how it is sent. */
interface Type {
  row: string;
  input?: string;
  kind: Kind;
}

const NUMBER: Type = { row: "number", kind: "text" };
const TEXT: Type = { row: "string", kind: "text" };
const TIME: Type = { row: "Date", kind: "time" };
const JSON_VALUE: Type = { row: "unknown", input: "object", kind: "json" };
const TYPES: Readonly<Record<string, Type>> = {
  bool: { row: "boolean", kind: "text" },
  int2: NUMBER,
  int4: NUMBER,
  float4: NUMBER,
  float8: NUMBER,
  oid: NUMBER,
  int8: { row: "bigint", input: "bigint | number", kind: "text" },
  numeric: { row: "bigint", kind: "text" },
  text: TEXT,
  varchar: TEXT,
  bpchar: TEXT,
  name: TEXT,
  uuid: TEXT,
  regclass: TEXT,
  interval: TEXT,
  // Sent as text; pg reads a date as the midnight of this machine.
  date: { row: "Date", input: "string", kind: "text" },
  timestamp: TIME,
  timestamptz: TIME,
  bytea: { row: "Buffer", input: "Uint8Array", kind: "bytes" },
  json: JSON_VALUE,
  jsonb: JSON_VALUE,
};

interface Context {
  catalog: Catalog;
  types: ColumnTypes;
}

interface Found extends Type {
  isArray: boolean;
}

function findType(oid: number, { catalog }: Context): Found {
  const { name = "unknown", element = 0 } = catalog.types.get(oid) ?? {};
  const of = element === 0 ? name : (catalog.types.get(element)?.name ?? name);
  const type = TYPES[of];
  if (type === undefined) throw new StatementError(`nothing is known about the type ${name}`, 1);
  return { ...type, isArray: element !== 0 };
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function or(type: string, isNullable: boolean): string {
  return isNullable ? `${type} | null` : type;
}

/** The value that a codec of the package takes and gives. */
function codecValue(column: string): string {
  return `ReturnType<(typeof codecs)["${column}"]["decode"]>`;
}

interface InputType {
  type: string;
  kind: string;
}

function describeInput(name: string, oid: number, context: Context): InputType {
  const found = findType(oid, context);
  const hasCodec = found.kind === "bytes" && context.types.codecs.has(name);
  return {
    type: hasCodec ? codecValue(name) : (found.input ?? found.row),
    kind: hasCodec ? `codecs.${name}` : `"${found.kind}"`,
  };
}

interface Input {
  /** Interfaces of the rows of lists. */
  interfaces: string[];
  fields: string[];
  kinds: string[];
}

function writeInput({ file, run, described }: ReadStatement, context: Context): Input {
  const input: Input = { interfaces: [], fields: [], kinds: [] };
  let at = 0;
  for (const parameter of file.parameters) {
    const list = run.lists.get(parameter.number);
    const oids = described.parameters.slice(at, at + (list?.length ?? 1));
    at += oids.length;
    if (list === undefined) writeScalar(input, parameter, oids[0] ?? 0, context);
    else {
      const row = pascal(file.name) + pascal(parameter.name);
      const columns = list.map((column, index) => ({
        ...column,
        ...describeInput(column.name, oids[index] ?? 0, context),
      }));
      const fields = columns.map(
        ({ name, type, isNullable }) => `  ${name}: ${or(type, isNullable)};\n`,
      );
      input.interfaces.push(`export interface ${row} {\n${fields.join("")}}\n`);
      input.fields.push(`${comment(parameter)}${parameter.name}: readonly ${row}[]`);
      const kinds = columns.map(({ name, kind }) => `${name}: ${kind}`);
      input.kinds.push(`${parameter.name}: { rows: { ${kinds.join(", ")} } }`);
    }
  }
  return input;
}

function writeScalar(input: Input, parameter: Parameter, oid: number, context: Context): void {
  const { name, isNullable } = parameter;
  const { type, kind } = describeInput(name, oid, context);
  const { isArray } = findType(oid, context);
  const one = isArray ? `readonly ${/\W/.test(type) ? `(${type})` : type}[]` : type;
  input.fields.push(`${comment(parameter)}${name}: ${or(one, isNullable)}`);
  input.kinds.push(`${name}: ${isArray ? `[${kind}]` : kind}`);
}

function comment({ comment: words }: Parameter): string {
  return words === "" ? "" : `/** ${words} */ `;
}

interface Result {
  interfaces: string[];
  /** Undefined where no column of bytes has a codec. */
  bytes: string | undefined;
}

function writeResult({ file, run, source, described }: ReadStatement, context: Context): Result {
  const names = source.columns.map(({ name }) => name);
  const isOuter = hasOuterJoin(run.text);
  const bytes: string[] = [];
  const fields = described.columns.map((column) => {
    const { name } = column;
    const { row, kind, isArray } = findType(column.type, context);
    const origin = context.catalog.columns.get(`${column.table} ${column.column}`);
    const key = `${origin?.table}.${origin?.name}`;
    const hasCodec = kind === "bytes" && context.types.codecs.has(name);
    if (kind === "bytes" && !isArray)
      bytes.push(`${name}: ${hasCodec ? `codecs.${name}` : '"bytes"'}`);
    const plain = hasCodec ? codecValue(name) : row;
    const type = context.types.narrowed.has(key) ? `ColumnTypes["${key}"]` : plain;
    const isNullable = !isInsisted(name, names) && (isOuter || origin?.isRequired !== true);
    return `  ${name}: ${or(isArray ? `${type}[]` : type, isNullable || names.includes(`${name}?`))};\n`;
  });
  const needsCodec = bytes.some((field) => !field.endsWith('"bytes"'));
  return {
    interfaces: [`export interface ${pascal(file.name)}Row {\n${fields.join("")}}\n`],
    bytes: needsCodec ? `{ ${bytes.join(", ")} }` : undefined,
  };
}

function isInsisted(name: string, names: readonly string[]): boolean {
  return names.includes(`${name}!`);
}

function writeStatement(read: ReadStatement, context: Context): string {
  const { file, run, described } = read;
  checkParameters(read);
  const input = writeInput(read, context);
  const hasResult = described.columns.length > 0;
  const result = hasResult ? writeResult(read, context) : { interfaces: [], bytes: undefined };
  const given = input.fields.length === 0 ? "undefined" : `{ ${input.fields.join("; ")} }`;
  const types = hasResult ? `${given}, ${pascal(file.name)}Row` : given;
  const lines = [
    `  name: "${file.name}",`,
    ...(file.isPrepared ? [] : ["  isPrepared: false,"]),
    ...(input.kinds.length === 0 ? [] : [`  parameters: { ${input.kinds.join(", ")} },`]),
    ...(result.bytes === undefined ? [] : [`  bytes: ${result.bytes},`]),
    `  text: \`${run.text.replace(/[\\`]|\$\{/g, "\\$&")}\`,`,
  ];
  return [
    ...input.interfaces,
    ...result.interfaces,
    `/** ${file.comment.join("\n * ").replaceAll("*/", "* /")} */\n` +
      `export const ${file.name} = /* @__PURE__ */ ${hasResult ? "statement" : "command"}<${types}>({\n` +
      `${lines.join("\n")}\n});\n`,
  ].join("\n");
}

function checkParameters({ file, source }: ReadStatement): void {
  const numbers = file.parameters.map(({ number }) => number);
  const missing = source.parameters.findIndex((_, index) => !numbers.includes(index + 1));
  if (missing !== -1) throw new StatementError(`name it: -- @param $${missing + 1}:name`, 1);
  const unused = numbers.find((number) => number > source.parameters.length);
  if (unused !== undefined) throw new StatementError(`$${unused} is named and not used`, 1);
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice !== undefined) throw new StatementError(`$${twice} is named twice`, 1);
}

/** The module, and what is wrong with a statement where there is something. */
export function writeModule(
  statements: readonly ReadStatement[],
  context: Context,
  runtime: string,
): { module: string; faults: { file: StatementFile; fault: StatementError }[] } {
  const faults: { file: StatementFile; fault: StatementError }[] = [];
  const written = statements.map((read) => {
    try {
      return writeStatement(read, context);
    } catch (fault) {
      if (!(fault instanceof StatementError)) throw fault;
      faults.push({ file: read.file, fault });
      return "";
    }
  });
  const body = written.join("\n");
  const helpers = ["command", "statement"].filter((helper) => body.includes(`*/ ${helper}<`));
  const imports = [
    `import { ${helpers.join(", ")} } from "${runtime}";`,
    ...(body.includes('ColumnTypes["')
      ? ['import type { ColumnTypes } from "../column-types.ts";']
      : []),
    ...(/codecs\b/.test(body) ? ['import { codecs } from "../column-types.ts";'] : []),
  ];
  return { module: `// Generated by tools/sql.ts.\n${imports.join("\n")}\n\n${body}`, faults };
}
