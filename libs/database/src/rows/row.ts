/** What the database client makes of a numeric column. */
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

/** The column of a field: `orderId` is `order_id`. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

export type MessageField<Message> = Exclude<keyof Message & string, `$${string}`>;
