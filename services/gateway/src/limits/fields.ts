// What a client is told of its limits: the fields of draft-ietf-httpapi-ratelimit-headers-11, and when to come back.
import type { ServerResponse } from "node:http";
import { Failure } from "@pay/rpc";
import type { Bucket, Drawn, Policy } from "./bucket.ts";

const SECOND_US = 1_000_000;

/** Says what is left; throws where a bucket was empty. */
export const answerDraw = (
  response: ServerResponse,
  buckets: readonly Bucket[],
  { waitUs, aheadUs }: Drawn,
): void => {
  const refused = waitUs > 0;
  response.setHeader(
    "RateLimit-Policy",
    buckets.map(({ policy }) => policyField(policy)).join(", "),
  );
  const left = buckets.map(({ policy }, at) => {
    const withTokenUs = aheadUs[at] as number;
    return leftField(policy, refused ? withTokenUs - policy.refillUs : withTokenUs);
  });
  response.setHeader("RateLimit", left.join(", "));
  if (!refused) return;
  response.setHeader("Retry-After", Math.ceil(waitUs / SECOND_US));
  throw new Failure("resource_exhausted", "Too many requests");
};

const policyField = ({ name, burst, refillUs }: Policy): string =>
  `"${name}";q=${burst};w=${Math.ceil((burst * refillUs) / SECOND_US)}`;

/** How many requests are left, and in how many seconds the bucket is full again. */
const leftField = ({ name, burst, refillUs }: Policy, aheadUs: number): string => {
  const left = Math.max(0, Math.floor(burst - aheadUs / refillUs));
  return `"${name}";r=${left};t=${Math.ceil(aheadUs / SECOND_US)}`;
};
