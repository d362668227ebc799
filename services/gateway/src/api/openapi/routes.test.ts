import { expect, test } from "@jest/globals";
import { toChainId } from "@pay/values";
import { createDocuments } from "./routes.ts";

const PUBLIC_URL = "https://pay.example";

test("all who ask for a document get the same bytes, which are made once", () => {
  const getDocument = createDocuments([]);
  const offered = { chainId: toChainId(1), token: `0x${"1".repeat(40)}` };
  const [first, second] = [
    getDocument(PUBLIC_URL, offered),
    getDocument(PUBLIC_URL, { ...offered }),
  ];
  expect(second).toBe(first);
  expect(JSON.parse(first.toString())).toMatchObject({ servers: [{ url: PUBLIC_URL }] });
  expect(getDocument(PUBLIC_URL, undefined)).not.toBe(first);
});
