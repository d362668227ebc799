import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Verifier } from "../verification/verifier.ts";
import { createBookKeeper } from "./keep-books.ts";

/** One job per chain. None begins at once: a process that starts has more urgent questions for its providers. */
export function startBooks(
  verifiers: readonly Verifier[],
  intervalMs: number,
  { pool }: Database,
  runtime: Runtime,
): void {
  const { clock, log, stopping } = runtime;
  for (const { chain, providers } of verifiers) {
    const keep = createBookKeeper({ chain, providers, pool, clock, log, stopping });
    let isFirst = true;
    every({
      name: `books of chain ${chain.chainId}`,
      intervalMs,
      runtime,
      act: async () => {
        if (!isFirst) await keep();
        isFirst = false;
      },
    });
  }
}
