import { expect, test } from "@jest/globals";
import { createSealedResponses } from "./sealed-responses.ts";

const content = Buffer.from('{"key":"sk_live_1"}');
const request = { scope: "proj_1:1:POST /v1/projects/me/keys", key: "key-1" };

const secret = { version: 1, secret: "secret" };
const older = { version: 1, secret: "old" };
const newer = { version: 2, secret: "new" };

test("what was sealed can be opened again, and shows nothing before", () => {
  const answers = createSealedResponses([secret]);
  const sealed = answers.seal(content, request);
  expect(sealed.includes("sk_live_")).toBe(false);
  expect(createSealedResponses([secret]).open(sealed, request)).toEqual(content);
  expect(answers.seal(content, request)).not.toEqual(sealed);
});

test("an older secret opens what it sealed, and the current one seals", () => {
  const sealed = createSealedResponses([older]).seal(content, request);
  const answers = createSealedResponses([newer, older]);
  expect(answers.open(sealed, request)).toEqual(content);
  expect(createSealedResponses([newer]).open(answers.seal(content, request), request)).toEqual(
    content,
  );
  expect(() => createSealedResponses([newer]).open(sealed, request)).toThrow();
});

test("another secret or a changed byte opens nothing", () => {
  const sealed = createSealedResponses([secret]).seal(content, request);
  expect(() =>
    createSealedResponses([{ version: 1, secret: "other" }]).open(sealed, request),
  ).toThrow();
  sealed[sealed.length - 1] = (sealed[sealed.length - 1] ?? 0) ^ 1;
  expect(() => createSealedResponses([secret]).open(sealed, request)).toThrow();
});

test("an answer opens only for its own project, mode, route and key", () => {
  const answers = createSealedResponses([secret]);
  const sealed = answers.seal(content, request);
  for (const other of [
    { ...request, key: "key-2" },
    { ...request, scope: "proj_2:1:POST /v1/projects/me/keys" },
    { ...request, scope: "proj_1:2:POST /v1/projects/me/keys" },
    { ...request, scope: "proj_1:1:POST /v1/projects" },
  ]) {
    expect(() => answers.open(sealed, other)).toThrow();
  }
});

test("an answer that was kept before answers were bound to their request opens", () => {
  const kept = "Mlt7D7dGABIxrNvtRzkAV/kD/F7vGPLa5U+1I49WUWKfTukhW3kNuyD/FmCOMUM=";
  const sealed = Buffer.from(kept, "base64");
  expect(createSealedResponses([newer, older]).open(sealed, request)).toEqual(content);
  expect(() => createSealedResponses([newer]).open(sealed, request)).toThrow();
});
