import { expect, test } from "@jest/globals";
import { createTurns, type TurnsOptions } from "./turns.ts";

const FREE: TurnsOptions = {
  runningMax: 2,
  waitingMax: 5,
  rowsPerS: 1_000_000,
  rowsMax: 1_000_000,
  waitMaxMs: 60_000,
};
const LATER = new Date(Date.now() + 3_600_000);
const PAGE = { rows: 100, deadline: LATER };

function turnOfLoop() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a project runs no more lists at once than its bound, in their order, and other projects do not wait", async () => {
  const turns = createTurns(FREE);
  const ends: PromiseWithResolvers<void>[] = [];
  const begun: string[] = [];
  function list(projectId: string, name: string) {
    return turns.take(projectId, PAGE, () => {
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
  const turns = createTurns({ ...FREE, runningMax: 1, waitingMax: 1 });
  const end = Promise.withResolvers<void>();
  const held = [turns.take("a", PAGE, () => end.promise), turns.take("a", PAGE, () => end.promise)];
  await expect(turns.take("a", PAGE, () => end.promise)).rejects.toMatchObject({
    errorCode: "rate_limited",
  });
  expect(await turns.take("b", PAGE, async () => "b")).toBe("b");
  end.resolve();
  await Promise.all(held);
});

test("a list that would wait for too long is refused at once", async () => {
  const turns = createTurns({ ...FREE, rowsPerS: 100, rowsMax: 100, waitMaxMs: 1_000 });
  await turns.take("a", { ...PAGE, rows: 1_000 }, async () => {});
  await expect(turns.take("a", PAGE, async () => {})).rejects.toMatchObject({
    errorCode: "rate_limited",
  });
  expect(await turns.take("b", PAGE, async () => "b")).toBe("b");
});

test("a list behind slow ones is refused before its caller gives up, and takes no turn", async () => {
  const turns = createTurns({ ...FREE, runningMax: 1, waitMaxMs: 20 });
  const end = Promise.withResolvers<void>();
  const slow = turns.take("a", PAGE, () => end.promise);
  let reads = 0;
  async function read() {
    return ++reads;
  }

  await expect(turns.take("a", PAGE, read)).rejects.toMatchObject({ errorCode: "rate_limited" });
  end.resolve();
  await slow;
  expect([await turns.take("a", PAGE, read), reads]).toEqual([1, 1]);
});

test("lists of a project read no more rows than its budget, and other projects do not wait", async () => {
  const turns = createTurns({ ...FREE, waitingMax: 50, rowsPerS: 1_000, rowsMax: 200 });
  const begunAtMs = performance.now();
  const own = Array.from({ length: 5 }, () =>
    turns.take("a", PAGE, async () => performance.now() - begunAtMs),
  );
  expect(await turns.take("b", PAGE, async () => "b")).toBe("b");
  const begun = await Promise.all(own);
  // Two lists are in the budget; each of the others waits for the rows of one before it.
  for (const [nth, atMs] of begun.entries()) expect(atMs).toBeGreaterThanOrEqual((nth - 2) * 100);
});

test("rows that a list turns out to read delay the next list of its project", async () => {
  const turns = createTurns({ ...FREE, runningMax: 1, rowsPerS: 1_000, rowsMax: 200 });
  const begunAtMs = performance.now();
  await turns.take("a", { ...PAGE, rows: 1 }, async (spend) => spend(400));
  await turns.take("a", PAGE, async () => {});
  expect(performance.now() - begunAtMs).toBeGreaterThanOrEqual(200);
});

test("a list whose caller has stopped waiting is not read", async () => {
  const turns = createTurns({ ...FREE, runningMax: 1 });
  const end = Promise.withResolvers<void>();
  const running = turns.take("a", PAGE, () => end.promise);
  let isRead = false;
  const late = turns.take("a", { ...PAGE, deadline: new Date(Date.now() - 1) }, async () => {
    isRead = true;
  });
  end.resolve();
  await running;
  await expect(late).rejects.toMatchObject({ errorCode: "deadline_exceeded" });
  expect(isRead).toBe(false);
  expect(await turns.take("a", PAGE, async () => "next")).toBe("next");
});
