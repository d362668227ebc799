// Messages made from rows. The names of a message's fields are the names of the columns, so only what differs is
// listed: a field that no column holds, and a column that no field shows. A field or a column that is neither in both
// nor listed does not compile, and neither does one that is in both and listed, or a column whose values the field
// cannot take.
import {
  create,
  type DescField,
  type DescMessage,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { MessageField, Snake } from "./columns.ts";

/** The columns a field of this type can be made from. */
type ColumnFor<Field> =
  | Stored<Exclude<Field, undefined>>
  | (undefined extends Field ? null : never);

type Stored<Field> = Field extends string
  ? string | bigint
  : Field extends number
    ? number
    : Field extends Timestamp
      ? Date
      : Field;

type Fits<Message, Field extends keyof Message, Row> =
  Snake<Field & string> extends keyof Row
    ? [Row[Snake<Field & string>]] extends [ColumnFor<Message[Field]>]
      ? true
      : false
    : "unstored";

type FieldsThat<Fitting, Message, Row> = {
  [Field in MessageField<Message>]: Fits<Message, Field, Row> extends Fitting ? Field : never;
}[MessageField<Message>];

/** The fields and columns that only a message or its row has; a field that the column does not fit cannot be listed. */
export type Differences<Message, Row> = Record<FieldsThat<"unstored", Message, Row>, "unstored"> &
  Record<Exclude<keyof Row & string, Snake<MessageField<Message>>>, "internal"> &
  Record<FieldsThat<false, Message, Row>, never>;

/** The list alone: what both have cannot be in it, because a listed field is left out of the message. */
export type Listed<Message, Row> = Differences<Message, Row> & {
  [Name in Held<Message, Row> | Snake<Held<Message, Row>>]?: never;
};

type Held<Message, Row> = FieldsThat<true, Message, Row> & string;

type Kind = "as it is" | "digits" | "time";

/** How rows become messages of one type; made once per type. */
export interface MessagePlan<Desc extends DescMessage, Row> {
  schema: Desc;
  fields: readonly { name: string; column: keyof Row; kind: Kind }[];
}

export function planMessages<Desc extends DescMessage, Row>(
  schema: Desc,
  differences: Listed<MessageShape<Desc>, Row>,
): MessagePlan<Desc, Row> {
  const stored = schema.fields.filter(({ localName }) => !Object.hasOwn(differences, localName));
  return {
    schema,
    fields: stored.map((field) => ({
      name: field.localName,
      column: field.name as keyof Row,
      kind: getKind(field),
    })),
  };
}

function getKind(field: DescField): Kind {
  if (field.fieldKind === "message") return "time";
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING ? "digits" : "as it is";
}

/** A null column is an absent field. */
export function rowToMessage<Desc extends DescMessage, Row>(
  { schema, fields }: MessagePlan<Desc, Row>,
  row: Row,
): MessageShape<Desc> {
  const message = create(schema) as Record<string, unknown>;
  for (const { name, column, kind } of fields) {
    const value: unknown = row[column];
    if (value === null) continue;
    if (kind === "time") message[name] = timestampFromDate(value as Date);
    else message[name] = kind === "digits" ? String(value) : value;
  }
  return message as MessageShape<Desc>;
}
