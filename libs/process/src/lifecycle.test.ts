import { expect, test } from "@jest/globals";
import { startAdminPort } from "./admin-port.ts";
import { every } from "./jobs.ts";
import { createTestRuntime } from "./lifecycle.ts";

test("a stop undoes in reverse order, and one failure does not keep the rest standing", async () => {
  const lifecycle = createTestRuntime("shop");
  const undone: string[] = [];
  lifecycle.onStop("first", () => void undone.push("first"));
  lifecycle.onStop("second", () => {
    throw new Error("stuck");
  });
  lifecycle.onStop("third", () => void undone.push("third"));
  expect(await lifecycle.stop()).toBe(false);
  expect(undone).toEqual(["third", "first"]);
});

test("a second stop is the first one", async () => {
  const lifecycle = createTestRuntime("shop");
  let stops = 0;
  lifecycle.onStop("part", () => void stops++);
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  expect(stops).toBe(1);
});

test("readiness names what fails, and a stopping process is alive but not ready", async () => {
  const lifecycle = createTestRuntime("shop");
  let broken = true;
  lifecycle.readyWhen("database", () => {
    if (broken) throw new Error("down");
  });
  const port = await startAdminPort(lifecycle, { port: 0 });
  async function ask(path: string) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  }

  expect(await ask("/readyz")).toBe("503 failing database\n");
  broken = false;
  expect(await ask("/readyz")).toBe("200 ok database\n");
  expect(await ask("/livez")).toBe("200 ok\n");
  let whileStopping = "";
  lifecycle.onStop("observer", async () => {
    whileStopping = (await ask("/readyz")) + (await ask("/livez"));
  });
  await lifecycle.stop();
  expect(whileStopping).toBe("503 ok database\nfailing not stopping\n200 ok\n");
});

test("a job goes on after a failed round, and a stop waits for the round under way", async () => {
  const lifecycle = createTestRuntime("shop");
  let rounds = 0;
  const reached = Promise.withResolvers<void>();
  const job = every({
    name: "count",
    intervalMs: 1,
    runtime: lifecycle,
    act: async () => {
      rounds++;
      if (rounds === 1) throw new Error("first round fails");
      if (rounds === 3) reached.resolve();
    },
  });
  job.wake();
  await reached.promise;
  await lifecycle.stop();
  const after = rounds;
  job.wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(rounds).toBe(after);
});

test("a wake does not shorten the pause after a failed round, and a stop does", async () => {
  const lifecycle = createTestRuntime("shop");
  const beganAt: number[] = [];
  const failedAgain = Promise.withResolvers<void>();
  const job = every({
    name: "refused",
    intervalMs: 1,
    retryPauseMaxMs: 3_600_000,
    runtime: lifecycle,
    act: async () => {
      beganAt.push(performance.now());
      // Also during the round.
      job.wake();
      await new Promise((resolve) => setImmediate(resolve));
      if (beganAt.length === 2) failedAgain.resolve();
      throw new Error("refused");
    },
  });
  const waking = setInterval(job.wake, 1);
  await failedAgain.promise;
  const [first = 0, second = 0] = beganAt;
  expect(second - first).toBeGreaterThan(195);
  clearInterval(waking);
  let rounds = 0;
  every({
    name: "refused for an hour",
    intervalMs: 3_600_000,
    runtime: lifecycle,
    act: async () => {
      rounds++;
      throw new Error("refused");
    },
  });
  await lifecycle.stop();
  expect([beganAt.length, rounds]).toEqual([2, 1]);
});
