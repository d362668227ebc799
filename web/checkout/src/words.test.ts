import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const FOLDER = new URL("./words/", import.meta.url);
const FILES = readdirSync(FOLDER);

function read(file: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
}

function listPlaceholders(sentence: string): string[] {
  return [...sentence.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort();
}

test("there are eight languages", () => {
  expect(FILES).toHaveLength(8);
});

test.each(FILES)("%s has all texts of the English page with the same placeholders", (file) => {
  const english = read("en.json");
  const words = read(file);
  expect(Object.keys(words)).toEqual(Object.keys(english));
  for (const [word, sentence] of Object.entries(english)) {
    expect([word, listPlaceholders(words[word] ?? "")]).toEqual([word, listPlaceholders(sentence)]);
  }
});

test("a value keeps its own writing direction in Arabic", () => {
  const loose = Object.values(read("ar.json")).filter((sentence) =>
    /(?<!\u2068)\{(amount|received|missing|balance|network|coin)\}/.test(sentence),
  );
  expect(loose).toEqual([]);
});
