// Where tests get a real Redis: the program the system has. Each test file starts its own, as it takes a moment only.
import { missingRedis, type Redis, startRedis } from "@pay/embedded";
import { describeUnless } from "./unless.ts";

export interface TestRedis extends Pick<Redis, "url" | "freeze" | "thaw"> {
  /** Ends it as a crash would, with everything in it; its address stays. */
  kill(): Promise<void>;
  /** An empty one under the same address. */
  restart(): Promise<void>;
}

export async function testRedis(): Promise<TestRedis> {
  let redis = await startRedis();
  const { url, port } = redis;
  return {
    url,
    kill: () => redis.kill(),
    freeze: () => redis.freeze(),
    thaw: () => redis.thaw(),
    restart: async () => {
      redis = await startRedis({ port });
    },
  };
}

export function describeWithRedis(name: string, body: () => void): void {
  describeUnless(missingRedis(), name, body);
}
