// Buckets that all replicas share, in Redis: one number per bucket, which expires by itself when the bucket is full.
// One script draws from all buckets of a request or from none, in one round trip and by the clock of Redis, so
// replicas need not agree on the time.
import type { Bucket } from "./bucket.ts";
import type { SharedBuckets } from "./limits.ts";
import { keepRedisLink, type LinkOptions } from "./redis-link.ts";

/** Keys of the buckets begin with it, because other programs may use the same Redis. */
const PREFIX = "pay:limits:";

// The same as memory.ts. Whole numbers below 2^53 are exact; %.0f prevents the form 1e+15.
const DRAW = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function keep(key, ahead)
  redis.call('SET', key, string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
end
local fullAt = redis.call('MGET', unpack(KEYS))
local wait, ahead = 0, {}
for i, key in ipairs(KEYS) do
  local refill = tonumber(ARGV[3 * i - 1])
  local empty = ARGV[3 * i - 2] * refill
  local filled = math.max((tonumber(fullAt[i]) or 0) - now, 0)
  if filled > empty then
    filled = empty
    keep(key, filled)
  end
  ahead[i] = filled + ARGV[3 * i] * refill
  wait = math.max(wait, filled + refill - empty)
end
if wait == 0 then
  for i, key in ipairs(KEYS) do
    if ARGV[3 * i] ~= '0' then keep(key, ahead[i]) end
  end
end
return { wait, unpack(ahead) }
`;

/**
 * A bucket that no request draws from and that is never empty: drawing from it shows that the script runs and may
 * write.
 */
const TRIAL: Bucket = {
  name: "{trial}",
  policy: { name: "trial", burst: 1_000_000, refillUs: 1 },
  cost: 1,
};

export async function openRedisBuckets(
  options: Omit<LinkOptions, "script" | "trial">,
): Promise<SharedBuckets> {
  const link = await keepRedisLink({ ...options, script: DRAW, trial: toCall([TRIAL]) });
  return {
    draw: (buckets) => link.run(toCall(buckets))?.then(toDrawn),
  };
}

function toCall(buckets: readonly Bucket[]) {
  return {
    keys: buckets.map(({ name }) => PREFIX + name),
    arguments: buckets.flatMap(({ policy: { burst, refillUs }, cost }) => [
      `${burst}`,
      `${refillUs}`,
      `${cost}`,
    ]),
  };
}

function toDrawn(answer: readonly number[] | undefined) {
  if (answer === undefined) return undefined;
  const [waitUs = 0, ...aheadUs] = answer;
  return { waitUs, aheadUs };
}
