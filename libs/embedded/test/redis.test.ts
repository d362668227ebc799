import { afterEach, expect, test } from "@jest/globals";
import { describeWithRedis } from "@pay/testing";
import { type Redis, startRedis } from "../src/redis/redis.ts";

describeWithRedis("a local Redis", () => {
  const running: Redis[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((redis) => redis.kill()));
  });
  async function start(port?: number) {
    const redis = await startRedis(port === undefined ? {} : { port });
    running.push(redis);
    return redis;
  }

  test("comes back under the same address after a kill", async () => {
    const first = await start();
    await first.kill();
    const again = await start(first.port);
    expect(again.url).toBe(first.url);
    expect(again.pid).not.toBe(first.pid);
  });

  test("stops also while it is frozen", async () => {
    const redis = await start();
    await redis.freeze();
    await redis.stop();
    await redis.exited;
    expect(() => process.kill(redis.pid, 0)).toThrow("ESRCH");
  });

  test("refuses a port that is taken, in words an operator can act on", async () => {
    const { port } = await start();
    await expect(start(port)).rejects.toThrow(/is taken by another program/);
  });
});
