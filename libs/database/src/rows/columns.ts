// The columns that a request's message already holds, under their names. What the service adds or converts it writes
// over them, so a field that is only stored has no line of code between its message and its row.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { MessageField, Snake } from "./row.ts";

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
