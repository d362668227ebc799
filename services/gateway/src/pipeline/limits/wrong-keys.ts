// Wrong keys count against the address that sends them, and only their own rejections are limited: a valid key is
// served whatever else came from its address. Others may share that address, or name it in a forged header.
import type { ServerResponse } from "node:http";
import { Counter } from "prom-client";
import type { Bucket, Drawn } from "./bucket.ts";
import { answerDraw } from "./fields.ts";
import type { Policies, Source } from "./policies.ts";

const refusals = new Counter({
  name: "wrong_key_refusals_total",
  help: "Requests with a wrong key that got 429, because their address had sent too many",
});

/** Counts a wrong key; throws where the address has sent too many, in place of the failure that the key caused. */
export type TakeWrongKey = (
  source: Pick<Source, "clientAddress">,
  response: ServerResponse,
) => Promise<void>;

export function createWrongKeys(options: {
  listBuckets: Policies["ofWrongKey"];
  draw: (buckets: readonly Bucket[]) => Promise<Drawn> | Drawn;
}): TakeWrongKey {
  const { listBuckets, draw } = options;
  return async (source, response) => {
    const buckets = listBuckets(source);
    if (buckets.length === 0) return;
    const drawn = await draw(buckets);
    if (drawn.waitUs === 0) return;
    refusals.inc();
    answerDraw(response, buckets, drawn);
  };
}
