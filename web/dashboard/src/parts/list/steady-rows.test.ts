import { expect, test } from "@jest/globals";
import { keepRows, showAll } from "./steady-rows.ts";

function list(...ids: string[]) {
  return ids.map((id) => ({ id, status: "created" }));
}

function answer(rows: ReturnType<typeof list>, { at = 2, path = "/v1/payments" } = {}) {
  return { answer: rows, at, path };
}

const BEFORE = showAll(answer(list("c", "b", "a"), { at: 1 }));

function names({ rows }: { rows: readonly { id: string }[] }) {
  return rows.map(({ id }) => id).join("");
}

test("new rows wait, and those that they pushed to the next page stay", () => {
  const kept = keepRows(BEFORE, answer(list("e", "d", "c")), 0);
  expect(names(kept)).toBe("cba");
  expect([kept.waiting, kept.gone.size]).toEqual([2, 0]);
  expect(names(showAll(kept))).toBe("edc");
});

test("a changed row changes in its place", () => {
  const [c, , a] = list("c", "b", "a");
  const b = { id: "b", status: "confirmed" };
  const kept = keepRows(BEFORE, answer([c, b, a] as ReturnType<typeof list>), 0);
  expect(kept.rows[1]).toBe(b);
  expect(kept.waiting).toBe(0);
});

test("a row that left the list is marked, and an older one that moved up is not new", () => {
  const kept = keepRows(BEFORE, answer(list("c", "a", "0")), 0);
  expect(names(kept)).toBe("cba");
  expect([...kept.gone]).toEqual(["b"]);
  expect(kept.waiting).toBe(0);
});

test("an answer without a known row is all new", () => {
  expect(keepRows(BEFORE, answer(list("f", "e", "d")), 0).waiting).toBe(3);
});

test.each([
  ["of another address", { path: "/v1/refunds" }, 0],
  ["after an own write", {}, 2],
])("the answer %s is shown as it is", (_name, other, expectedAt) => {
  const next = answer(list("d", "c", "b"), other);
  expect(names(keepRows(BEFORE, next, expectedAt))).toBe("dcb");
});
