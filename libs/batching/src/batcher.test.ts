import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { createBatcher } from "./batcher.ts";

/** A receiver whose answers are given by hand, so that tests decide what is under way. */
function createReceiver() {
  const lists: { items: number[]; answer: PromiseWithResolvers<number[]> }[] = [];
  function send(items: number[]) {
    const answer = Promise.withResolvers<number[]>();
    lists.push({ items, answer });
    return answer.promise;
  }

  function list(index: number) {
    const found = lists[index];
    if (found === undefined) throw new Error(`no list ${index} was sent`);
    return found;
  }

  return { lists, list, send };
}

async function sent(lists: readonly unknown[], count: number) {
  const deadline = performance.now() + 60_000;
  while (lists.length < count) {
    if (performance.now() > deadline)
      throw new Error(`${lists.length} of ${count} lists were sent`);
    await turn();
  }
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

test("items of one turn leave as one list and get their own results back", async () => {
  const one = createBatcher(async (items: number[]) => items.map((item) => item * 10));
  expect(await Promise.all([one(1), one(2), one(3)])).toEqual([10, 20, 30]);
});

test("what arrives while lists are under way leaves with the next list", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { inFlightMax: 1 });
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

test("a list that may gather leaves when it is full, or when its time is over", async () => {
  const { lists, list, send } = createReceiver();
  const patient = createBatcher(send, { itemsMax: 3, gatherMs: 600_000 });
  const results = [patient(1)];
  await turn();
  results.push(patient(2));
  await turn();
  expect(lists).toHaveLength(0);
  results.push(patient(3));
  await sent(lists, 1);
  expect(list(0).items).toEqual([1, 2, 3]);
  list(0).answer.resolve([1, 2, 3]);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);

  const brief = createBatcher(send, { gatherMs: 1 });
  const alone = brief(4);
  await sent(lists, 2);
  list(1).answer.resolve([4]);
  expect(await alone).toBe(4);
});

test("a list leaves beside a longer one once it has its share of the items", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { besideShare: 0.5 });
  const results = [1, 2, 3, 4].map(one);
  await turn();
  results.push(one(5));
  await turn();
  expect(lists.map(({ items }) => items)).toEqual([[1, 2, 3, 4]]);
  results.push(one(6));
  await turn();
  expect(list(1).items).toEqual([5, 6]);
  results.push(one(7));
  await turn();
  list(0).answer.resolve([1, 2, 3, 4]);
  await results[0];
  await turn();
  expect(list(2).items).toEqual([7]);
  list(1).answer.resolve([5, 6]);
  list(2).answer.resolve([7]);
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("no list is longer than its bound", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { itemsMax: 2, inFlightMax: 2 });
  const results = [one(1), one(2), one(3)];
  await turn();
  expect(lists.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  list(0).answer.resolve([1, 2]);
  list(1).answer.resolve([3]);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});

test("a list that fails fails its own items and no other", async () => {
  const { list, send } = createReceiver();
  const one = createBatcher(send, { itemsMax: 1, inFlightMax: 2 });
  const [lost, kept] = [one(1), one(2)];
  await turn();
  list(0).answer.reject(new Failure("service_unavailable", "gone"));
  list(1).answer.resolve([2]);
  await expect(lost).rejects.toThrow("gone");
  expect(await kept).toBe(2);
});

test("a full queue refuses at once", async () => {
  const { list, send } = createReceiver();
  const one = createBatcher(send, { inFlightMax: 1, queueMax: 1 });
  const first = one(1);
  await turn();
  const second = one(2);
  await expect(one(3)).rejects.toMatchObject({ errorCode: "service_overloaded" });
  list(0).answer.resolve([1]);
  await first;
  await turn();
  list(1).answer.resolve([2]);
  expect(await second).toBe(2);
});

test("an item that waited past its time is refused, not sent", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { inFlightMax: 1, waitMaxMs: -1 });
  await expect(one(1)).rejects.toMatchObject({ errorCode: "deadline_exceeded" });
  expect(lists).toHaveLength(0);
  expect(list).toThrow();
});

test("a list under way for long gives its slot to the next list, and is still answered", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { inFlightMax: 1, slotMaxMs: 5, slowMax: 1 });
  const first = one(1);
  await turn();
  const second = one(2);
  await sent(lists, 2);
  list(1).answer.resolve([2]);
  expect(await second).toBe(2);
  list(0).answer.resolve([1]);
  expect(await first).toBe(1);
});

test("no more lists than their bound give up their slots", async () => {
  const { lists, list, send } = createReceiver();
  const one = createBatcher(send, { inFlightMax: 1, slotMaxMs: 5, slowMax: 1 });
  const results = [one(1)];
  await turn();
  results.push(one(2));
  await sent(lists, 2);
  results.push(one(3));
  for (const end = performance.now() + 50; performance.now() < end; ) await turn();
  expect(lists).toHaveLength(2);
  list(0).answer.resolve([1]);
  list(1).answer.resolve([2]);
  await sent(lists, 3);
  list(2).answer.resolve([3]);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});
