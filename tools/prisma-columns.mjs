// A generator that `prisma generate` runs: the columns of each table with their types in SQL, in the order of the
// schema, so that a statement can name all columns of a row without a list of its own. Prisma writes one JSON call a
// line to the standard input and reads each answer from the standard error.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const SQL_TYPES = {
  BigInt: "bigint",
  Boolean: "boolean",
  Bytes: "bytea",
  DateTime: "timestamptz",
  Decimal: "numeric",
  Int: "integer",
  Json: "jsonb",
  String: "text",
};
/** Where the schema names a narrower type. */
const NATIVE_TYPES = { Date: "date", SmallInt: "smallint" };

function toSqlType({ type, nativeType, isList }) {
  const name = NATIVE_TYPES[nativeType?.[0]] ?? SQL_TYPES[type];
  if (name === undefined) throw new Error(`no SQL type for ${type}`);
  return isList ? `${name}[]` : name;
}

function toTable({ name, dbName, fields }) {
  const columns = fields.filter(({ kind }) => kind === "scalar");
  const lines = columns.map((field) => `  ${field.dbName ?? field.name}: "${toSqlType(field)}",`);
  return `export const ${dbName ?? name} = {\n${lines.join("\n")}\n} as const;\n`;
}

const METHODS = {
  getManifest: () => ({ manifest: { prettyName: "Columns" } }),
  generate: ({ generator, dmmf }) => {
    writeFileSync(generator.output.value, dmmf.datamodel.models.map(toTable).join("\n"));
    return null;
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = METHODS[method](params);
  process.stderr.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
