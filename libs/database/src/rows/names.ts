/** The column of a field: `orderId` is `order_id`. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

export type MessageField<Message> = Exclude<keyof Message & string, `$${string}`>;
