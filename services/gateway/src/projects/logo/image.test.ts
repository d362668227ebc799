import { expect, test } from "@jest/globals";
import { LOGO_BYTES_MAX, readImage } from "./image.ts";

/** The beginning of a PNG of this size. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.from("89504e470d0a1a0a0000000d4948445200000000000000000802000000", "hex");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const PNG = png(64, 64);

test.each([
  ["a PNG", PNG, "image/png"],
  [
    "a JPEG",
    Buffer.from("ffd8ffe000104a46494600010101006000600000ffc0001108004000400301", "hex"),
    "image/jpeg",
  ],
  [
    "a WebP",
    Buffer.from("524946461a000000574542505650384c0d0000002f3fc00f00", "hex"),
    "image/webp",
  ],
  [
    "an SVG",
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    undefined,
  ],
  ["a page", Buffer.from("<!doctype html>"), undefined],
  ["a sound in the same container as WebP", Buffer.from("RIFF\x10\0\0\0WAVEfmt "), undefined],
  ["the first bytes of a PNG alone", PNG.subarray(0, 10), undefined],
  ["a PNG of four megapixels", png(2_000, 2_000), "image/png"],
  ["a PNG of a gigapixel", png(32_000, 32_000), undefined],
  ["nothing", Buffer.alloc(0), undefined],
])("%s counts as what its bytes are", (_, bytes, type) => {
  expect(readImage(bytes)?.type).toBe(type);
});

test("an image has at most 100 kB", () => {
  const largest = Buffer.concat([PNG, Buffer.alloc(LOGO_BYTES_MAX - PNG.length)]);
  expect(readImage(largest)?.content).toHaveLength(LOGO_BYTES_MAX);
  expect(readImage(Buffer.concat([largest, Buffer.alloc(1)]))).toBeUndefined();
});
