// Buckets of one replica. The least recently used ones are forgotten, which only ever favours the client.
import type { Clock } from "@pay/process";
import { LRUCache } from "lru-cache";
import type { Bucket, Drawn } from "./bucket.ts";

const BUCKETS_MAX = 100_000;

export interface MemoryBuckets {
  draw(buckets: readonly Bucket[]): Drawn;
}

export const createMemoryBuckets = (clock: Clock): MemoryBuckets => {
  const fullAt = new LRUCache<string, number>({ max: BUCKETS_MAX });
  return {
    draw: (buckets) => {
      const nowUs = clock.now().getTime() * 1_000;
      let waitUs = 0;
      // The script in redis.ts draws in the same way.
      const aheadUs = buckets.map(({ name, policy: { burst, refillUs } }) => {
        const emptyUs = burst * refillUs;
        let filledUs = Math.max((fullAt.get(name) ?? 0) - nowUs, 0);
        // A clock that was set back must not keep anybody out for longer than an empty bucket does.
        if (filledUs > emptyUs) {
          filledUs = emptyUs;
          fullAt.set(name, nowUs + filledUs);
        }
        waitUs = Math.max(waitUs, filledUs + refillUs - emptyUs);
        return filledUs + refillUs;
      });
      if (waitUs === 0) {
        for (const [at, { name }] of buckets.entries()) {
          fullAt.set(name, nowUs + (aheadUs[at] as number));
        }
      }
      return { waitUs, aheadUs };
    },
  };
};
