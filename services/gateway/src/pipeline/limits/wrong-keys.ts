// An address that has sent too many wrong keys is refused for a while, before a key is looked up. Wrong keys are
// counted where all buckets are kept. Each replica remembers by itself which addresses it refuses, so that a request
// with a good key does not wait for Redis once more.
import type { ServerResponse } from "node:http";
import type { Clock } from "@pay/process";
import { LRUCache } from "lru-cache";
import { Counter } from "prom-client";
import type { Bucket, Drawn } from "./bucket.ts";
import { answerDraw } from "./fields.ts";
import type { Policies, Source } from "./policies.ts";

const REFUSED_MAX = 10_000;
const MS_US = 1_000;

const refusals = new Counter({
  name: "wrong_key_refusals_total",
  help: "Requests refused unseen, because their address had sent too many wrong keys",
});

export interface WrongKeys {
  /** Throws where the address has sent too many. */
  check(source: Pick<Source, "clientAddress">, response: ServerResponse): void;
  /** Counts one. */
  note(source: Pick<Source, "clientAddress">): Promise<void>;
}

export function createWrongKeys(options: {
  listBuckets: Policies["ofWrongKey"];
  draw: (buckets: readonly Bucket[]) => Promise<Drawn> | Drawn;
  clock: Clock;
}): WrongKeys {
  const { listBuckets, draw, clock } = options;
  /** By bucket: until when. */
  const refused = new LRUCache<string, number>({ max: REFUSED_MAX });
  let lastUs = 0;
  function nowUs() {
    return clock.now().getTime() * MS_US;
  }

  return {
    check: (source, response) => {
      // Usually no address is refused, and then this request's address need not be worked out.
      if (refused.size === 0) return;
      const now = nowUs();
      if (now >= lastUs) return refused.clear();
      for (const bucket of listBuckets(source)) {
        const waitUs = (refused.get(bucket.name) ?? 0) - now;
        if (waitUs <= 0) continue;
        refusals.inc();
        const { burst, refillUs } = bucket.policy;
        answerDraw(response, [bucket], { waitUs, aheadUs: [burst * refillUs + waitUs] });
      }
    },
    note: async (source) => {
      for (const bucket of listBuckets(source)) {
        const { burst, refillUs } = bucket.policy;
        const { waitUs, aheadUs } = await draw([bucket]);
        const filledUs = (aheadUs[0] as number) - (waitUs > 0 ? refillUs : 0);
        const nextInUs = filledUs + refillUs - burst * refillUs;
        if (nextInUs <= 0) continue;
        const untilUs = nowUs() + nextInUs;
        lastUs = Math.max(lastUs, untilUs);
        refused.set(bucket.name, untilUs);
      }
    },
  };
}
