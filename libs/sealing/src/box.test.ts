import { expect, test } from "@jest/globals";
import { type Box, createBox, parseSealingKeys } from "./box.ts";

function keyText(fill: number) {
  return Buffer.alloc(32, fill).toString("base64");
}

function makeBox(text: string): Box {
  const keys = parseSealingKeys(text);
  if (keys === undefined) throw new Error("no keys");
  return createBox(keys);
}

const one = makeBox(`1:${keyText(1)}`);
const known = makeBox(`1:${keyText(1)}, 2:${keyText(2)}`);
const both = makeBox(`2:${keyText(2)}, 1:${keyText(1)}`);

function text(box: Box, context: string, sealed: Uint8Array) {
  return box.open(sealed, context).toString();
}

test("what is sealed opens again, and shows nothing of itself before", () => {
  const sealed = one.seal("whsec_secret", "we_1");
  expect(text(one, "we_1", sealed)).toBe("whsec_secret");
  expect(sealed.includes("whsec")).toBe(false);
  expect(one.seal("whsec_secret", "we_1").equals(sealed)).toBe(false);
});

test("bytes that are in databases today open", () => {
  const stored = "Ae2ul64SwNWgS2As8zhUvjLrAqyUFRYG9y50zzbWBuGblTpl+hM4ZbU=";
  expect(text(both, "we_1", Buffer.from(stored, "base64"))).toBe("whsec_secret");
});

test("a new key seals from now on, the old one still opens", () => {
  const old = one.seal("whsec_old", "we_1");
  expect(text(both, "we_1", old)).toBe("whsec_old");
  const fresh = both.seal("whsec_new", "we_1");
  expect([both.isCurrent(old), both.isCurrent(fresh), one.isCurrent(old)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(text(both, "we_1", fresh)).toBe("whsec_new");
  expect(() => one.open(fresh, "we_1")).toThrow("no key of version 2");
});

test("a key that is not the first opens and does not seal, so that all replicas know it before one uses it", () => {
  const sealed = known.seal("whsec_secret", "we_1");
  expect(text(one, "we_1", sealed)).toBe("whsec_secret");
  expect(text(known, "we_1", both.seal("whsec_secret", "we_1"))).toBe("whsec_secret");
  expect(known.isCurrent(both.seal("whsec_secret", "we_1"))).toBe(false);
});

test("versions that share their byte open each their own content", () => {
  const [a, b] = [
    { version: 1, key: Buffer.alloc(32, 1) },
    { version: 257, key: Buffer.alloc(32, 2) },
  ];
  const box = createBox([b, a]);
  expect(text(box, "we_1", createBox([a]).seal("old", "we_1"))).toBe("old");
  expect(text(box, "we_1", box.seal("new", "we_1"))).toBe("new");
  expect(() => createBox([a]).open(box.seal("new", "we_1"), "we_1")).toThrow();
});

test("sealed content opens for its own context only, and not when a bit has changed", () => {
  const sealed = one.seal("whsec_secret", "we_1");
  expect(() => one.open(sealed, "we_2")).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const bent = Buffer.from(sealed);
    bent.writeUInt8(bent.readUInt8(at) ^ 1, at);
    expect(() => one.open(bent, "we_1")).toThrow();
  }
});

test.each([0, 1, 12, 20, 28])("%p bytes are no sealed content", (length) => {
  const bytes = one.seal("whsec_secret", "we_1").subarray(0, length);
  expect(() => one.open(bytes, "we_1")).toThrow();
});

test.each([
  "",
  "1",
  keyText(1),
  "1:short",
  `0:${keyText(1)}`,
  `256:${keyText(1)}`,
  `1:${keyText(1)},1:${keyText(2)}`,
  `1:${keyText(1)},`,
  `1:${Buffer.alloc(31).toString("base64")}`,
])("%p is no list of keys", (text) => {
  expect(parseSealingKeys(text)).toBeUndefined();
});
