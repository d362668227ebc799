// A rate limit is a token bucket: it refills steadily and holds at most its burst. A bucket is one number, the time
// at which it will be full again, so what is kept of it fits wherever a number fits. Times are whole microseconds:
// their sums are exact, in memory as in Redis.

export interface Policy {
  name: string;
  /** Tokens the bucket holds. */
  burst: number;
  /** Time in which one token comes back. */
  refillUs: number;
}

/** One bucket a request draws from. */
export interface Bucket {
  /** The owner of the bucket and its policy. The part in braces is the same for all buckets of one request. */
  name: string;
  policy: Policy;
  /** Tokens a request takes. With none it only asks whether there is one, and is refused where there is none. */
  cost: 0 | 1;
}

/** The result of a draw from several buckets: all of them gave a token, or none did. */
export interface Drawn {
  /** 0 when all gave; else the time until all of them can. */
  waitUs: number;
  /** For each bucket, how far ahead it would be full again with what it costs out of it. */
  aheadUs: readonly number[];
}
