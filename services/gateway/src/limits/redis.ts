// Buckets that all replicas share, in Redis: one number per bucket, which expires by itself when the bucket is full.
// One script draws from all buckets of a request or from none, in one round trip and by the clock of Redis, so
// replicas need not agree on the time.
import type { Bucket } from "./bucket.ts";
import type { SharedBuckets } from "./limits.ts";
import { keepRedisLink, type LinkOptions } from "./redis-link.ts";

/** Where the buckets are among other things in the same Redis. */
const PREFIX = "pay:limits:";

// As in memory.ts. Whole numbers below 2^53 go through unharmed; %.0f keeps them from becoming 1e+15.
const DRAW = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function keep(key, ahead)
  redis.call('SET', key, string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
end
local fullAt = redis.call('MGET', unpack(KEYS))
local wait, ahead = 0, {}
for i, key in ipairs(KEYS) do
  local refill = tonumber(ARGV[2 * i])
  local empty = ARGV[2 * i - 1] * refill
  local filled = math.max((tonumber(fullAt[i]) or 0) - now, 0)
  if filled > empty then
    filled = empty
    keep(key, filled)
  end
  ahead[i] = filled + refill
  wait = math.max(wait, ahead[i] - empty)
end
if wait == 0 then
  for i, key in ipairs(KEYS) do keep(key, ahead[i]) end
end
return { wait, unpack(ahead) }
`;

/** Nobody's bucket, never empty: drawing from it shows that the script runs and may write. */
const TRIAL: Bucket = { name: "{trial}", policy: { name: "trial", burst: 1_000_000, refillUs: 1 } };

export const openRedisBuckets = async (
  options: Omit<LinkOptions, "script" | "trial">,
): Promise<SharedBuckets> => {
  const link = await keepRedisLink({ ...options, script: DRAW, trial: callOf([TRIAL]) });
  return {
    draw: (buckets) => link.run(callOf(buckets))?.then(drawnOf),
  };
};

const callOf = (buckets: readonly Bucket[]) => ({
  keys: buckets.map(({ name }) => PREFIX + name),
  arguments: buckets.flatMap(({ policy: { burst, refillUs } }) => [`${burst}`, `${refillUs}`]),
});

const drawnOf = (answer: readonly number[] | undefined) => {
  if (answer === undefined) return undefined;
  const [waitUs = 0, ...aheadUs] = answer;
  return { waitUs, aheadUs };
};
