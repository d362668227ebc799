import type { Database } from "@pay/database";
import { every, type Job, type Runtime } from "@pay/process";
import type { Verifier } from "../verification/verifier.ts";
import { createFollower } from "./follower.ts";

const RENEW_MS = 1_000;
const POLL_MIN_MS = 250;
const POLL_MAX_MS = 2_000;

export interface FollowingOptions {
  verifier: Verifier;
  /** 0 means half of the chain's block time. */
  intervalMs: number;
  db: Database;
  runtime: Runtime;
  onFound(): void;
}

/** The jobs that follow one chain, and keep its lease while they do. */
export function startFollowing(options: FollowingOptions): Job {
  const { verifier, intervalMs, db, runtime, onFound } = options;
  const { chain, providers, tokens, clock } = verifier;
  const follower = createFollower({
    chain,
    providers,
    tokens,
    clock,
    onFound,
    pool: db.pool,
    log: runtime.log,
    stopping: runtime.stopping,
  });
  // Stops after the jobs below: the last round must not write after its lease is given away.
  runtime.onStop(`lease on chain ${chain.chainId}`, () => follower.release());
  const byBlockTime = Math.min(Math.max(chain.blockTimeMs / 2, POLL_MIN_MS), POLL_MAX_MS);
  const following = every({
    name: `following of chain ${chain.chainId}`,
    intervalMs: intervalMs || byBlockTime,
    runtime,
    act: () => follower.round(),
  });
  every({
    name: `renewal of the lease on chain ${chain.chainId}`,
    intervalMs: RENEW_MS,
    runtime,
    act: async () => {
      if (await follower.renew()) following.wake();
    },
  });
  return following;
}
