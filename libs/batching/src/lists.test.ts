import { expect, test } from "@jest/globals";
import { firstPerKey, runAllElseOneByOne } from "./lists.ts";

class NegativeItem extends Error {}

/** Records the lists it is given; a negative number fails the list that holds it. */
function createSum() {
  const lists: number[][] = [];
  async function run(list: readonly number[]) {
    lists.push([...list]);
    if (list.includes(0)) throw new Error("the database is away");
    if (list.some((item) => item < 0)) throw new NegativeItem("negative");
    return list.reduce((sum, item) => sum + item, 0);
  }
  function isFaultOfItem(error: unknown) {
    return error instanceof NegativeItem;
  }

  return { lists, run, isFaultOfItem };
}

test("a list without a fault is run once", async () => {
  const sum = createSum();
  expect(await runAllElseOneByOne([1, 2, 3], sum)).toEqual({ results: [6], faults: new Map() });
  expect(sum.lists).toEqual([[1, 2, 3]]);
});

test("a fault of one item leaves the other items with their results", async () => {
  const sum = createSum();
  const { results, faults } = await runAllElseOneByOne([1, -2, 3], sum);
  expect(results).toEqual([1, 3]);
  expect([...faults.keys()]).toEqual([-2]);
  expect(faults.get(-2)).toBeInstanceOf(NegativeItem);
  expect(sum.lists).toEqual([[1, -2, 3], [1], [-2], [3]]);
});

test("a list of one faulty item is run once", async () => {
  const sum = createSum();
  const { results, faults } = await runAllElseOneByOne([-1], sum);
  expect(results).toEqual([]);
  expect(faults.get(-1)).toBeInstanceOf(NegativeItem);
  expect(sum.lists).toEqual([[-1]]);
});

test("an error that is not the fault of an item is thrown and no item is run alone", async () => {
  const sum = createSum();
  await expect(runAllElseOneByOne([1, 0, -1], sum)).rejects.toThrow("the database is away");
  expect(sum.lists).toHaveLength(1);
});

test("an empty list is not run", async () => {
  const sum = createSum();
  expect((await runAllElseOneByOne([], sum)).results).toEqual([]);
  expect(sum.lists).toEqual([]);
});

test("of items with one key the first is kept, in the order of the list", () => {
  const items = [
    { key: "b", nth: 1 },
    { key: "a", nth: 2 },
    { key: "b", nth: 3 },
    { key: "a", nth: 4 },
  ];
  expect(firstPerKey(items, ({ key }) => key).map(({ nth }) => nth)).toEqual([1, 2]);
});

test("items without a key are all kept", () => {
  expect(firstPerKey([1, 2, 3], () => undefined)).toEqual([1, 2, 3]);
});

test("an empty text is a key", () => {
  expect(firstPerKey([1, 2], () => "")).toEqual([1]);
});
