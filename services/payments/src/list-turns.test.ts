import { expect, test } from "@jest/globals";
import { createTurns } from "./list-turns.ts";

function turnOfLoop() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a project runs no more lists at once than its bound, in their order, and other projects do not wait", async () => {
  const turns = createTurns({ runningMax: 2, waitingMax: 5 });
  const ends: PromiseWithResolvers<void>[] = [];
  const begun: string[] = [];
  function list(projectId: string, name: string) {
    return turns.take(projectId, () => {
      begun.push(name);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    });
  }

  const all = [list("a", "a1"), list("a", "a2"), list("a", "a3"), list("a", "a4"), list("b", "b1")];
  await turnOfLoop();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  ends[0]?.resolve();
  await turnOfLoop();
  expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  ends[1]?.reject(new Error("the database is away"));
  await expect(all[1]).rejects.toThrow("away");
  await turnOfLoop();
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  for (const end of ends) end.resolve();
  await Promise.allSettled(all);
  const again = list("a", "a5");
  await turnOfLoop();
  expect(begun.at(-1)).toBe("a5");
  ends.at(-1)?.resolve();
  await again;
});

test("more waiting lists than the bound are refused, and only those of the project", async () => {
  const turns = createTurns({ runningMax: 1, waitingMax: 1 });
  const end = Promise.withResolvers<void>();
  const held = [turns.take("a", () => end.promise), turns.take("a", () => end.promise)];
  await expect(turns.take("a", () => end.promise)).rejects.toMatchObject({
    errorCode: "rate_limited",
  });
  expect(await turns.take("b", async () => "b")).toBe("b");
  end.resolve();
  await Promise.all(held);
});
