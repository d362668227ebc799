// Buckets of one replica. Each policy has a table of its own, which forgets the least recently used bucket first. So
// a flood of addresses removes no bucket of a project, and of the addresses' buckets those that refilled the longest.
import type { Clock } from "@pay/process";
import { LRUCache } from "lru-cache";
import type { Bucket, Drawn } from "./bucket.ts";

/** Of each policy. */
const BUCKETS_MAX = 100_000;

export interface MemoryBuckets {
  draw(buckets: readonly Bucket[]): Drawn;
}

export function createMemoryBuckets(clock: Clock): MemoryBuckets {
  const tables = new Map<string, LRUCache<string, number>>();
  function toTable({ policy: { name } }: Bucket): LRUCache<string, number> {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const made = new LRUCache<string, number>({ max: BUCKETS_MAX });
    tables.set(name, made);
    return made;
  }

  return {
    draw: (buckets) => {
      const nowUs = clock.now().getTime() * 1_000;
      let waitUs = 0;
      // The script in redis.ts draws in the same way.
      const aheadUs = buckets.map((bucket) => {
        const { name, policy, cost } = bucket;
        const { burst, refillUs } = policy;
        const fullAt = toTable(bucket);
        const emptyUs = burst * refillUs;
        let filledUs = Math.max((fullAt.get(name) ?? 0) - nowUs, 0);
        // A clock that was set back must not refuse a client for longer than an empty bucket does.
        if (filledUs > emptyUs) {
          filledUs = emptyUs;
          fullAt.set(name, nowUs + filledUs);
        }
        waitUs = Math.max(waitUs, filledUs + refillUs - emptyUs);
        return filledUs + cost * refillUs;
      });
      if (waitUs === 0) {
        for (const [at, bucket] of buckets.entries()) {
          if (bucket.cost > 0) toTable(bucket).set(bucket.name, nowUs + (aheadUs[at] as number));
        }
      }
      return { waitUs, aheadUs };
    },
  };
}
