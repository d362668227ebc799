// kafkajs 2.2.4 makes about 5 KiB of short-lived objects of each record that it decodes, three quarters of them for ten
// headers of which a consumer reads three: a name and a value each, an entry, and a copy of all headers so far. A fetch
// is decoded at once, and what waits for its turn is copied by the garbage collector. Here a header is looked for when
// it is asked for, and a difference of times is a number: an event costs its consumer 26 us of CPU in place of 33
// (npm run bench -- relay). This holds for all consumers of a process, and for the headers of our records.
import Decoder from "kafkajs/src/protocol/decoder.js";
import { HEADER_NAMES } from "./record.ts";

/** The headers of one record; each is read from the record's bytes when it is asked for. */
class LazyHeaders {
  readonly #bytes: Buffer;
  readonly #start: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#start = start;
  }

  /** kafkajs makes an object of a list of headers by this method. */
  reduce(): this {
    return this;
  }

  find(name: Buffer): Buffer | undefined {
    const reader = new Decoder(this.#bytes);
    reader.offset = this.#start;
    for (let left = reader.readVarInt(); left > 0; left--) {
      const nameBytes = reader.readVarInt();
      const nameStart = reader.offset;
      reader.offset += nameBytes;
      const valueBytes = reader.readVarInt();
      const valueStart = reader.offset;
      reader.offset += Math.max(0, valueBytes);
      if (reader.offset > this.#bytes.length) return undefined;
      if (nameBytes !== name.length) continue;
      if (this.#bytes.compare(name, 0, name.length, nameStart, nameStart + nameBytes) !== 0)
        continue;
      return valueBytes < 0 ? undefined : this.#bytes.subarray(valueStart, reader.offset);
    }
    return undefined;
  }
}

for (const name of HEADER_NAMES) {
  const bytes = Buffer.from(name);
  Object.defineProperty(LazyHeaders.prototype, name, {
    get(this: LazyHeaders) {
      return this.find(bytes);
    },
  });
}

/** Only the headers of a record are such a list, and they are the last that is read of it. */
Decoder.prototype.readVarIntArray = function (this: Decoder) {
  return new LazyHeaders(this.buffer, this.offset);
};

const MORE = 0x80;
const DIGITS = 0x7f;
const BASE = 128;
/** Seven groups of seven bits are a number without loss. */
const BYTES_MAX = 7;
const readLong = Decoder.prototype.readVarLong;

/** Only the distance of a record's time from that of its batch is such a number. */
Decoder.prototype.readVarLong = function (this: Decoder) {
  let [value, unit] = [0, 1];
  for (let at = this.offset; at < this.offset + BYTES_MAX; at++) {
    const byte = this.buffer[at] ?? 0;
    value += (byte & DIGITS) * unit;
    unit *= BASE;
    if ((byte & MORE) !== 0) continue;
    this.offset = at + 1;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  return readLong.call(this);
};
