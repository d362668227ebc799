import { expect, test } from "@jest/globals";
import { retryItemsOnStaleVersion, retryOnStaleVersion } from "./stale-version.ts";

test("a change is decided again until its row has kept its version", async () => {
  let attempts = 0;
  const answer = await retryOnStaleVersion("order", async () =>
    ++attempts < 3 ? undefined : "written",
  );
  expect({ answer, attempts }).toEqual({ answer: "written", attempts: 3 });
});

test("a row that never keeps its version ends in a failure that may be retried", async () => {
  let attempts = 0;
  const trying = retryOnStaleVersion("order", async () => {
    attempts++;
    return undefined;
  });
  await expect(trying).rejects.toMatchObject({
    errorCode: "state_contended",
    message: "The order is changing too quickly",
  });
  expect(attempts).toBe(4);
});

test("an error of an attempt is thrown at once", async () => {
  let attempts = 0;
  const trying = retryOnStaleVersion("order", async () => {
    attempts++;
    throw new Error("the database is away");
  });
  await expect(trying).rejects.toThrow("the database is away");
  expect(attempts).toBe(1);
});

test("of a list only the items without an answer are tried again, and each answer is at its place", async () => {
  const rounds: string[][] = [];
  const answers = await retryItemsOnStaleVersion({
    what: "order",
    items: ["a", "b", "c"],
    attempt: async (items: string[]) => {
      rounds.push(items);
      return items.map((item) =>
        item === "b" || (item === "a" && rounds.length < 2) ? undefined : `${item} written`,
      );
    },
  });
  expect(rounds).toEqual([["a", "b", "c"], ["a", "b"], ["b"], ["b"]]);
  expect(answers).toMatchObject([
    "a written",
    { errorCode: "state_contended", message: "The order is changing too quickly" },
    "c written",
  ]);
});
