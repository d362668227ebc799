import { expect, test } from "@jest/globals";
import { createRecipientSet } from "./recipients.ts";

function address(n: number): string {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

test("a packed set holds what was added and nothing else, however far it grows", () => {
  const set = createRecipientSet();
  expect(set.has(address(1))).toBe(false);
  for (let n = 0; n < 20_000; n += 2) set.add(address(n));
  for (let n = 0; n < 20_000; n += 2) set.add(address(n));
  expect(set.size).toBe(10_000);
  const wrong = Array.from({ length: 20_000 }, (_, n) => n).filter(
    (n) => set.has(address(n)) !== (n % 2 === 0),
  );
  expect(wrong).toEqual([]);
});
