import { expect, test } from "@jest/globals";
import { createVault } from "./vault.ts";

const content = Buffer.from('{"key":"sk_live_1"}');

test("what was sealed can be opened again, and shows nothing before", () => {
  const vault = createVault("secret");
  const sealed = vault.seal(content);
  expect(sealed.includes("sk_live_")).toBe(false);
  expect(createVault("secret").open(sealed)).toEqual(content);
  expect(vault.seal(content)).not.toEqual(sealed);
});

test("another secret or a changed byte opens nothing", () => {
  const sealed = createVault("secret").seal(content);
  expect(() => createVault("other").open(sealed)).toThrow();
  sealed[sealed.length - 1] = (sealed[sealed.length - 1] ?? 0) ^ 1;
  expect(() => createVault("secret").open(sealed)).toThrow();
});
