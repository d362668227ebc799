// What other teams read about the topics is what the code sends.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { EVENT_TYPES } from "../libs/events/src/event-types.ts";
import { asyncApiDocument, FILE, isCurrent } from "./asyncapi.ts";

const document = asyncApiDocument();

test("the AsyncAPI document is the one that the events yield", () => {
  // Otherwise: npm run asyncapi.
  expect(isCurrent()).toBe(true);
});

test("whatever it refers to is there", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  for (const [, reference = ""] of references) {
    if (!reference.startsWith("#/")) {
      expect(existsSync(join(dirname(FILE), reference))).toBe(true);
      continue;
    }
    const steps = reference.slice(2).split("/");
    expect(
      steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document),
    ).toBeDefined();
  }
});

test("the catalog names every event at its topic, and no other", () => {
  const text = readFileSync(join(dirname(FILE), "events.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z]+\.[a-z]+\.v1)` \|[^|]*\|([^|]*)\|/gm)];
  const listed = rows.flatMap(([, topic, types = ""]) =>
    [...types.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => `${topic} ${type}`),
  );
  const known = Object.entries(EVENT_TYPES).map(([type, { topic }]) => `${topic} ${type}`);
  expect(listed.toSorted()).toEqual(known.toSorted());
});
