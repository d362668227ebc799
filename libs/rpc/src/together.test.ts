import { expect, test } from "@jest/globals";
import { Failure } from "./errors.ts";
import { together } from "./together.ts";

/** A receiver whose answers are given by hand, so that tests decide what is under way. */
const createReceiver = () => {
  const lists: { items: number[]; answer: PromiseWithResolvers<number[]> }[] = [];
  const send = (items: number[]) => {
    const answer = Promise.withResolvers<number[]>();
    lists.push({ items, answer });
    return answer.promise;
  };
  const list = (index: number) => {
    const found = lists[index];
    if (found === undefined) throw new Error(`no list ${index} was sent`);
    return found;
  };
  return { lists, list, send };
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("items of one turn leave as one list and get their own results back", async () => {
  const one = together(async (items: number[]) => items.map((item) => item * 10));
  expect(await Promise.all([one(1), one(2), one(3)])).toEqual([10, 20, 30]);
});

test("what arrives while lists are under way leaves together afterwards", async () => {
  const { lists, list, send } = createReceiver();
  const one = together(send, { inFlightMax: 1 });
  const results = [one(1)];
  await turn();
  results.push(one(2), one(3));
  await turn();
  expect(lists).toHaveLength(1);
  list(0).answer.resolve([1]);
  await results[0];
  await turn();
  expect(list(1).items).toEqual([2, 3]);
  list(1).answer.resolve([2, 3]);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});

test("no list is longer than its bound", async () => {
  const { lists, list, send } = createReceiver();
  const one = together(send, { itemsMax: 2, inFlightMax: 2 });
  const results = [one(1), one(2), one(3)];
  await turn();
  expect(lists.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  list(0).answer.resolve([1, 2]);
  list(1).answer.resolve([3]);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});

test("a list that fails fails its own items and nobody else's", async () => {
  const { list, send } = createReceiver();
  const one = together(send, { itemsMax: 1, inFlightMax: 2 });
  const [lost, kept] = [one(1), one(2)];
  await turn();
  list(0).answer.reject(new Failure("unavailable", "gone"));
  list(1).answer.resolve([2]);
  await expect(lost).rejects.toThrow("gone");
  expect(await kept).toBe(2);
});

test("a full queue refuses at once", async () => {
  const { list, send } = createReceiver();
  const one = together(send, { inFlightMax: 1, queueMax: 1 });
  const first = one(1);
  await turn();
  const second = one(2);
  await expect(one(3)).rejects.toMatchObject({ kind: "unavailable" });
  list(0).answer.resolve([1]);
  await first;
  await turn();
  list(1).answer.resolve([2]);
  expect(await second).toBe(2);
});

test("an item that waited past its time is refused, not sent", async () => {
  const { lists, list, send } = createReceiver();
  const one = together(send, { inFlightMax: 1, waitMaxMs: -1 });
  await expect(one(1)).rejects.toMatchObject({ kind: "deadline_exceeded" });
  expect(lists).toHaveLength(0);
  expect(list).toThrow();
});
