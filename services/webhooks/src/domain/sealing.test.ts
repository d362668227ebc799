import { expect, test } from "@jest/globals";
import { open, parseSealingKeys, type SealingKeys, seal } from "./sealing.ts";

const keyText = (fill: number) => Buffer.alloc(32, fill).toString("base64");
const keysOf = (text: string): SealingKeys => {
  const keys = parseSealingKeys(text);
  if (keys === undefined) throw new Error("no keys");
  return keys;
};
const one = keysOf(`1:${keyText(1)}`);
const both = keysOf(`1:${keyText(1)}, 2:${keyText(2)}`);

test("what is sealed opens again, and shows nothing of itself before", () => {
  const sealed = seal(one, "we_1", "whsec_secret");
  expect(open(one, "we_1", sealed)).toBe("whsec_secret");
  expect(sealed.includes("whsec")).toBe(false);
  expect(seal(one, "we_1", "whsec_secret").equals(sealed)).toBe(false);
});

test("a new key seals from now on, the old one still opens", () => {
  const old = seal(one, "we_1", "whsec_old");
  expect(open(both, "we_1", old)).toBe("whsec_old");
  const fresh = seal(both, "we_1", "whsec_new");
  expect(open(both, "we_1", fresh)).toBe("whsec_new");
  expect(() => open(one, "we_1", fresh)).toThrow("no key of version 2");
});

test("a sealed secret opens for its own endpoint only, and not when a bit has changed", () => {
  const sealed = seal(one, "we_1", "whsec_secret");
  expect(() => open(one, "we_2", sealed)).toThrow();
  for (let at = 1; at < sealed.length; at++) {
    const bent = Buffer.from(sealed);
    bent.writeUInt8(bent.readUInt8(at) ^ 1, at);
    expect(() => open(one, "we_1", bent)).toThrow();
  }
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
