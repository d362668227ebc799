import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

const IDS = new URL("../src/ids.ts", import.meta.url);

function idsOfAnotherProcess(count: number): string[] {
  const script = `import { newId } from ${JSON.stringify(IDS.href)};
    for (let at = 0; at < ${count}; at++) console.log(newId("pay"));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script]);
  return output.toString().trim().split("\n");
}

test("ids of processes that work one after the other sort in the order of their work", () => {
  const rounds = Array.from({ length: 3 }, () => idsOfAnotherProcess(100));
  const [first = [], second = [], third = []] = rounds.map((ids) => ids.toSorted());
  expect([...first, ...second, ...third]).toEqual([...first, ...second, ...third].toSorted());
  expect(new Set(rounds.flat()).size).toBe(300);
});
