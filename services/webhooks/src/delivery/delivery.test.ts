import { expect, test } from "@jest/globals";
import { copyBuffer } from "./delivery.ts";

test("a copy keeps no more memory than its bytes need", () => {
  const shared = Buffer.from("a body");
  expect(shared.buffer.byteLength).toBeGreaterThan(shared.length);
  const copy = copyBuffer(shared);
  expect(copy.toString()).toBe("a body");
  expect(copy.buffer.byteLength).toBe(shared.length);
});

test("a buffer with its own memory is not copied", () => {
  const large = Buffer.from("a".repeat(Buffer.poolSize));
  expect(copyBuffer(large)).toBe(large);
});
