import { expect, test } from "@jest/globals";
import { LOGO_BYTES_MAX, readImage } from "./image.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");

test.each([
  ["a PNG", PNG, "image/png"],
  ["a JPEG", Buffer.from("ffd8ffe000104a46", "hex"), "image/jpeg"],
  ["a WebP", Buffer.from("RIFF\x10\0\0\0WEBPVP8 ", "latin1"), "image/webp"],
  ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
  ["a page", Buffer.from("<!doctype html>"), undefined],
  ["a sound in the same container as WebP", Buffer.from("RIFF\x10\0\0\0WAVEfmt "), undefined],
  ["nothing", Buffer.alloc(0), undefined],
])("%s counts as what its bytes are", (_, bytes, type) => {
  expect(readImage(bytes)?.type).toBe(type);
});

test("an image has at most 100 kB", () => {
  const largest = Buffer.concat([PNG, Buffer.alloc(LOGO_BYTES_MAX - PNG.length)]);
  expect(readImage(largest)?.content).toHaveLength(LOGO_BYTES_MAX);
  expect(readImage(Buffer.concat([largest, Buffer.alloc(1)]))).toBeUndefined();
});
