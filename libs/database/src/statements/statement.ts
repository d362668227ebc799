// Runs the statements that tools/sql.ts generates from `.sql` files, prepared under their file's name.
// A list of rows travels as one array for each column, because PostgreSQL plans an array better than JSON.
import type { ClientBase, Pool } from "pg";
import { types } from "pg";
import { bigints } from "../bigints.ts";
import { arrayText, byteaArray } from "./arrays.ts";

/** The pool, or the client of a transaction. */
export type Queryable = Pool | ClientBase;

/** Shows bytes of a column as another value. */
export interface Codec<Value> {
  encode(value: Value): Uint8Array;
  /** The bytes are given in hexadecimal digits, as PostgreSQL writes them. */
  decode(digits: string): Value;
}

/** Hashes and the like: bytes in the table, `0x…` in rows. */
export const hexBytes: Codec<string> = {
  encode: (hex) => Buffer.from(hex.slice("0x".length), "hex"),
  decode: (digits) => `0x${digits}`,
};

// biome-ignore lint/suspicious/noExplicitAny: the generated types know the value of each codec
type AnyCodec = Codec<any>;
/** How a value is sent. */
type Kind = "text" | "time" | "json" | "bytes" | AnyCodec;
type Columns = Readonly<Record<string, Kind>>;
/** A value, an array of values, or a list of rows. */
type Parameters = Readonly<Record<string, Kind | readonly [Kind] | { readonly rows: Columns }>>;

interface Description {
  name: string;
  /** False where each call is planned for its values; the session must not force generic plans. */
  isPrepared?: false;
  text: string;
  parameters?: Parameters;
  /** Columns of bytes in the result, where some have a codec. */
  bytes?: Readonly<Record<string, AnyCodec | "bytes">>;
}

type Run<Input, Result> = (
  db: Queryable,
  ...input: Input extends undefined ? [] : [input: Input]
) => Promise<Result>;

export interface Statement<Input, Row> extends Run<Input, Row[]> {
  readonly description: Description;
}

export interface Command<Input> extends Run<Input, number> {
  readonly description: Description;
}

/** A statement with a result: resolves to its rows. */
export function statement<Input, Row>(description: Description): Statement<Input, Row> {
  const query = toQuery(description);
  const decode = planDecoding<Row>(description);
  async function run(db: Queryable, input?: unknown): Promise<Row[]> {
    return decode((await db.query(query(input))).rows);
  }

  return Object.assign(run, { description });
}

/** A statement without a result: resolves to the number of rows it changed. */
export function command<Input>(description: Description): Command<Input> {
  const query = toQuery(description);
  async function run(db: Queryable, input?: unknown): Promise<number> {
    return (await db.query(query(input))).rowCount ?? 0;
  }

  return Object.assign(run, { description });
}

function toQuery({ name, isPrepared, text, parameters = {}, bytes }: Description) {
  const encoders = Object.entries(parameters).map(([parameter, kind]) => {
    const encode = planParameter(kind);
    return (input: Record<string, unknown>) => encode(input[parameter]);
  });
  const parsers = bytes === undefined ? bigints : bytesAsText;
  return (input: unknown) => ({
    ...(isPrepared !== false && { name }),
    text,
    values: encoders.flatMap((encode) => encode(input as Record<string, unknown>)),
    types: parsers,
  });
}

/** Gives the parameters that one value of the input becomes. */
function planParameter(kind: Parameters[string]): (value: unknown) => unknown[] {
  if (typeof kind === "string" || "encode" in kind) return (value) => [encodeValue(kind, value)];
  if ("rows" in kind) {
    const columns = Object.entries(kind.rows);
    return (rows) =>
      columns.map(([column, of]) =>
        encodeArray(
          of,
          (rows as Record<string, unknown>[]).map((row) => row[column]),
        ),
      );
  }
  const [of] = kind;
  return (values) => [values == null ? null : encodeArray(of, values as unknown[])];
}

function encodeValue(kind: Kind, value: unknown): unknown {
  if (value == null) return null;
  if (kind === "time") return (value as Date).toISOString();
  if (kind === "json") return JSON.stringify(value);
  return typeof kind === "string" ? value : Buffer.from(kind.encode(value));
}

function encodeArray(kind: Kind, values: unknown[]): unknown {
  const encoded = kind === "text" ? values : values.map((value) => encodeValue(kind, value));
  const isBytes = kind === "bytes" || typeof kind !== "string";
  return isBytes
    ? byteaArray(encoded as (Uint8Array | null)[])
    : arrayText(encoded as (string | null)[]);
}

const BYTES_OID = 17;

const bytesAsText = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape pg asks for
  getTypeParser: (oid: number, format?: any): any =>
    oid === BYTES_OID ? String : bigints.getTypeParser(oid, format),
};

function planDecoding<Row>({ bytes }: Description): (rows: Row[]) => Row[] {
  if (bytes === undefined) return (rows) => rows;
  const toBuffer = types.getTypeParser(BYTES_OID);
  const columns = Object.entries(bytes);
  return (rows) => {
    for (const row of rows as Record<string, unknown>[]) {
      for (const [column, codec] of columns) {
        const text = row[column] as string | null;
        if (text === null) continue;
        row[column] = codec === "bytes" ? toBuffer(text) : codec.decode(text.slice("\\x".length));
      }
    }
    return rows;
  };
}
