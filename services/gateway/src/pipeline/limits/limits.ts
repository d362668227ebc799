// Rate limits. A request draws from all buckets of its route or from none, so that being refused costs nothing.
// Buckets are shared by all replicas where there is a Redis; without one, and while it is away, each replica has its
// own, and then nothing waits.
import type { ServerResponse } from "node:http";
import type { Clock } from "@pay/process";
import type { Caller } from "../../keys/caller.ts";
import type { Route } from "../route.ts";
import type { Bucket, Drawn } from "./bucket.ts";
import { answerDraw } from "./fields.ts";
import { createMemoryBuckets } from "./memory.ts";
import { createPolicies, type PageKind, type Policies, type Source } from "./policies.ts";
import type { RateLimits } from "./rate-limits.ts";
import { createWrongKeys, type TakeWrongKey } from "./wrong-keys.ts";

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
  /** The same for a request that is refused for what its caller may do. */
  takeRejected: Limits["take"];
  /** Counts a wrong client secret against its payment and its address; the answer does not wait for it. */
  noteWrongSecret(caller: Caller, source: Source): void;
  takeWrongKey: TakeWrongKey;
  /** Takes one page, or one of the files that pages load, from what an address may have. */
  takePage(
    kind: PageKind,
    source: Pick<Source, "clientAddress">,
    response: ServerResponse,
  ): Promise<void> | undefined;
}

export interface SharedBuckets {
  /** Undefined, at once or a little later, while the shared buckets cannot be reached. */
  draw(buckets: readonly Bucket[]): Promise<Drawn | undefined> | undefined;
}

export function createLimits(rates: RateLimits, clock: Clock, shared?: SharedBuckets): Limits {
  const policies = createPolicies(rates);
  const own = createMemoryBuckets(clock);
  function draw(buckets: readonly Bucket[]): Promise<Drawn> | Drawn {
    const drawing = shared?.draw(buckets);
    if (drawing === undefined) return own.draw(buckets);
    return drawing.then((drawn) => drawn ?? own.draw(buckets));
  }

  function take(buckets: readonly Bucket[], response: ServerResponse): Promise<void> | undefined {
    if (buckets.length === 0) return undefined;
    const drawn = draw(buckets);
    if (drawn instanceof Promise) return drawn.then((it) => answerDraw(response, buckets, it));
    answerDraw(response, buckets, drawn);
    return undefined;
  }

  function takeFrom(listBuckets: Policies["listBuckets"]): Limits["take"] {
    return (route, caller, source, response) => take(listBuckets(route, caller, source), response);
  }

  return {
    take: takeFrom(policies.listBuckets),
    takeRejected: takeFrom(policies.forRejected),
    noteWrongSecret: (caller, source) => {
      const buckets = policies.ofWrongSecret(caller, source);
      if (buckets.length > 0) void draw(buckets);
    },
    takePage: (kind, source, response) => take(policies.ofPage(kind, source), response),
    takeWrongKey: createWrongKeys({ listBuckets: policies.ofWrongKey, draw }),
  };
}
