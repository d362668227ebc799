// Readers of protobuf values that create no object.
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** An event for merchants that cannot be sent to them. */
export class InvalidEventError extends Error {}

const SECONDS = 1;
const NANOS = 2;

/** Moves behind the value that follows a tag. */
export function skipValue(reader: BinaryReader, tag: number): void {
  if (tag >>> 3 === 0) throw new Error("a field has the number 0");
  const wireType = tag & 7;
  if (wireType === WireType.LengthDelimited) {
    const length = reader.uint32();
    reader.pos += length;
  } else if (wireType === WireType.Varint) reader.uint32();
  else reader.skip(wireType, tag >>> 3);
  if (reader.pos > reader.len) throw new RangeError("the event ends inside a value");
}

/** Reads a google.protobuf.Timestamp, in whole milliseconds. */
export function readTimestamp(reader: BinaryReader, whole: (ms: number) => number): Date {
  let [seconds, nanos] = [0, 0];
  const length = reader.uint32();
  const end = reader.pos + length;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if (field === SECONDS) seconds = Number(reader.int64());
    else if (field === NANOS) nanos = reader.int32();
    else skipValue(reader, tag);
  }
  return new Date(seconds * 1_000 + whole(nanos / 1_000_000));
}
