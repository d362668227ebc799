// The columns that a request's message already holds, under their names. What the service adds or converts it writes
// over them, so a field that is only stored has no line of code between its message and its row.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";

/** A numeric column as the database client reads it. */
interface Decimal {
  d: number[];
  e: number;
  s: number;
}

type Value<V> = V extends Decimal ? bigint : V;

/**
 * A row as SQL answers it, from the model that the schema generates: whole numbers of any length are bigint. Columns
 * whose values the service knows better than the schema get their type from `Known`.
 */
export type RowFrom<Model, Known extends { [Column in keyof Known]: unknown } = object> = {
  [Column in keyof Model]: Column extends keyof Known ? Known[Column] : Value<Model[Column]>;
};

/** True where statements write every column of a model; the compiler names a column that none of them writes. */
export type AllWritten<Unwritten extends never> = [Unwritten] extends [never] ? true : Unwritten;

/** The column of a field: `orderId` is `order_id`. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

export type MessageField<Message> = Exclude<keyof Message & string, `$${string}`>;

type Plain = string | number | bigint | boolean;

/** Fields with messages in them are no columns. */
type PlainField<Message> = {
  [Field in MessageField<Message>]: Exclude<Message[Field], undefined> extends Plain
    ? Field
    : never;
}[MessageField<Message>];

/** An absent field is a null column. */
export type MessageColumns<Message> = {
  [Field in PlainField<Message> as Snake<Field>]:
    | Exclude<Message[Field], undefined>
    | (undefined extends Message[Field] ? null : never);
};

/** Made once per type of message. */
export function planColumns<Desc extends DescMessage>({
  fields,
}: Desc): (message: MessageShape<Desc>) => MessageColumns<MessageShape<Desc>> {
  const plain = fields.filter(({ fieldKind }) => fieldKind === "scalar" || fieldKind === "enum");
  return (message) => {
    const values = message as unknown as Record<string, unknown>;
    const columns: Record<string, unknown> = {};
    for (const { name, localName } of plain) columns[name] = values[localName] ?? null;
    return columns as MessageColumns<MessageShape<Desc>>;
  };
}
