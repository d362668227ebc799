// Rate limits. A request draws from all buckets of its route or from none, so that being refused costs nothing.
// Buckets are shared by all replicas where there is a Redis; without one, and while it is away, each replica has its
// own, and then nothing waits.
import type { ServerResponse } from "node:http";
import type { Clock } from "@pay/process";
import type { Caller } from "../caller.ts";
import type { Route } from "../route.ts";
import type { Bucket, Drawn } from "./bucket.ts";
import { answerDraw } from "./fields.ts";
import { createMemoryBuckets } from "./memory.ts";
import { createPolicies, type LimitsConfig, type Source } from "./policies.ts";

export interface Limits {
  /**
   * Takes one request from every bucket it draws from, or refuses it; says in headers what is left. There is
   * something to wait for only where another process is asked.
   */
  take(
    route: Route,
    caller: Caller,
    source: Source,
    response: ServerResponse,
  ): Promise<void> | undefined;
}

export interface SharedBuckets {
  /** Undefined, at once or a little later, where those who share them cannot be asked. */
  draw(buckets: readonly Bucket[]): Promise<Drawn | undefined> | undefined;
}

export const createLimits = (
  config: LimitsConfig,
  clock: Clock,
  shared?: SharedBuckets,
): Limits => {
  const bucketsOf = createPolicies(config);
  const own = createMemoryBuckets(clock);
  return {
    take: (route, caller, source, response) => {
      const buckets = bucketsOf(route, caller, source);
      if (buckets.length === 0) return undefined;
      const drawing = shared?.draw(buckets);
      if (drawing === undefined) {
        answerDraw(response, buckets, own.draw(buckets));
        return undefined;
      }
      return drawing.then((drawn) => answerDraw(response, buckets, drawn ?? own.draw(buckets)));
    },
  };
};
