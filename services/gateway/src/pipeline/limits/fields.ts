// The headers that describe a client's limits: the fields of draft-ietf-httpapi-ratelimit-headers-11, and when to
// come back.
import type { ServerResponse } from "node:http";
import { Failure } from "@pay/failures";
import type { Bucket, Drawn, Policy } from "./bucket.ts";

const SECOND_US = 1_000_000;

/** Sets the headers; throws where a bucket was empty. */
export function answerDraw(
  response: ServerResponse,
  buckets: readonly Bucket[],
  { waitUs, aheadUs }: Drawn,
): void {
  const refused = waitUs > 0;
  response.setHeader(
    "RateLimit-Policy",
    buckets.map(({ policy }) => policyField(policy)).join(", "),
  );
  const left = buckets.map(({ policy, cost }, at) => {
    const afterUs = aheadUs[at] as number;
    return leftField(policy, refused ? afterUs - cost * policy.refillUs : afterUs);
  });
  response.setHeader("RateLimit", left.join(", "));
  if (!refused) return;
  response.setHeader("Retry-After", Math.ceil(waitUs / SECOND_US));
  throw new Failure("rate_limited", "Too many requests");
}

function policyField({ name, burst, refillUs }: Policy): string {
  return `"${name}";q=${burst};w=${Math.ceil((burst * refillUs) / SECOND_US)}`;
}

/** How many requests are left, and in how many seconds the bucket is full again. */
function leftField({ name, burst, refillUs }: Policy, aheadUs: number): string {
  const left = Math.max(0, Math.floor(burst - aheadUs / refillUs));
  return `"${name}";r=${left};t=${Math.ceil(aheadUs / SECOND_US)}`;
}
