import { expect, test } from "@jest/globals";
import { chainIdOf } from "@pay/values";
import { createDocuments } from "./routes.ts";

const PUBLIC_URL = "https://pay.example";

test("all who ask for a document get the same bytes, which are made once", () => {
  const documentOf = createDocuments([]);
  const offered = { chainId: chainIdOf(1), token: `0x${"1".repeat(40)}` };
  const [first, second] = [documentOf(PUBLIC_URL, offered), documentOf(PUBLIC_URL, { ...offered })];
  expect(second).toBe(first);
  expect(JSON.parse(first.toString())).toMatchObject({ servers: [{ url: PUBLIC_URL }] });
  expect(documentOf(PUBLIC_URL, undefined)).not.toBe(first);
});
