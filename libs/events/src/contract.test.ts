// Records on topics and in outboxes outlive the processes that wrote them, so the bytes of events are pinned here.
import { readFileSync } from "node:fs";
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { EventSchema } from "@pay/proto";

interface Vector {
  name: string;
  json: JsonValue;
  hex: string;
}

const file = new URL("contract.golden.json", import.meta.url);
const VECTORS = JSON.parse(readFileSync(file, "utf8")) as Vector[];

test.each(VECTORS)("$name: the bytes are read, and written again as they were", ({ json, hex }) => {
  const event = fromBinary(EventSchema, Buffer.from(hex, "hex"));
  expect(toJson(EventSchema, event)).toEqual(json);
  expect(Buffer.from(toBinary(EventSchema, event)).toString("hex")).toBe(hex);
  // Without what a reader would keep of fields that it does not know.
  const again = toBinary(EventSchema, fromJson(EventSchema, json));
  expect(Buffer.from(again).toString("hex")).toBe(hex);
});

test("there are bytes of every kind of resource, with all of its fields and with empty ones", () => {
  const kinds = EventSchema.oneofs.flatMap(({ fields }) =>
    fields.map(({ localName }) => localName),
  );
  const names = VECTORS.map(({ name }) => name);
  expect(names.toSorted()).toEqual(
    kinds.flatMap((kind) => [`${kind}, full`, `${kind}, present and empty`]).toSorted(),
  );
});
