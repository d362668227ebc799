import { request } from "node:http";
import { expect, test } from "@jest/globals";
import { startReceiver, until } from "../src/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

test("a receiver that stops leaves no answer behind that was to come later", async () => {
  const before = timers();
  const receiver = await startReceiver({ plain: true });
  receiver.respondWith({ status: 200, delayMs: 3_600_000 });
  request(receiver.url)
    .on("error", () => {})
    .end();
  await receiver.next();
  await receiver.stop();
  await until(() => timers() <= before, { what: "the end of all timers", timeoutMs: 10_000 });
  expect(timers()).toBeLessThanOrEqual(before);
});
