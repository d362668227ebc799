import { expect, test } from "@jest/globals";
import { countedAsOpen, OPEN_OF_ONE_MAX } from "./open-statements.ts";

async function* pieces() {
  yield "one";
  yield "two";
}

function read(projectId: string) {
  const made = countedAsOpen(projectId, pieces);
  return { next: () => made.next(), leave: () => made.return("") };
}

/** Begun, and not read to its end. */
async function begun(projectId: string) {
  const one = read(projectId);
  expect(await one.next()).toEqual({ done: false, value: "one" });
  return one;
}

test("one project has a few statements open, and others have theirs all the same", async () => {
  const mine = [];
  for (let nth = 0; nth < OPEN_OF_ONE_MAX; nth++) mine.push(await begun("proj_A"));
  await expect(read("proj_A").next()).rejects.toMatchObject({ errorCode: "rate_limited" });
  const other = await begun("proj_B");
  // One whose client has left makes room, and so does one that was read to its end.
  await mine[0]?.leave();
  const whole = await begun("proj_A");
  await whole.next();
  expect(await whole.next()).toMatchObject({ done: true });
  const last = await begun("proj_A");
  for (const one of [...mine, other, last]) await one.leave();
});

test("a process has so many open in all", async () => {
  const all = [];
  for (let nth = 0; nth < 64; nth++) all.push(await begun(`proj_${nth}`));
  await expect(read("proj_more").next()).rejects.toMatchObject({ errorCode: "service_overloaded" });
  for (const one of all) await one.leave();
  await (await begun("proj_more")).leave();
});
