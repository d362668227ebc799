// The loop that verifies the due transactions of one chain. It leases them into a bounded queue, verifies a few at a
// time and writes what it found. A slow transaction occupies one slot; after a crash transactions are due again when
// their lease has run out.
import { createBatcher } from "@pay/batching";
import { every, type Job, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { overdueTotal, verificationSeconds, verificationsTotal } from "../metrics.ts";
import { type Finding, isOverdue, type Tracked } from "./domain/transaction.ts";
import {
  leaseTransactions,
  rescheduleTransactions,
  storeFindings,
} from "./storage/transactions.ts";
import type { Verifier } from "./verifier.ts";
import { verifyTransaction } from "./verify-transaction.ts";

const LEASE_MS = 60_000;
const QUEUED_PER_SLOT = 8;
/** After an error of our own, e.g. while the database fails over. */
const FAULT_DELAY_MS = 1_000;

export interface VerifyOptions {
  verifier: Verifier;
  pool: Pool;
  runtime: Runtime;
  intervalMs: number;
  concurrency: number;
  /** Called when something was found, so that its wallets are decided at once. */
  onFound(): void;
}

export function startVerifying(options: VerifyOptions): Job {
  const { verifier, pool, runtime, intervalMs, concurrency } = options;
  const { chainId } = verifier.chain;
  const verifyAndStore = createStoringVerifier(options);
  const queuedMax = concurrency * QUEUED_PER_SLOT;
  const queue: Tracked[] = [];
  const running = new Set<Promise<void>>();

  /** Fills the free slots from the queue and requests more once it is empty. */
  function start() {
    while (running.size < concurrency) {
      const tracked = queue.shift();
      if (tracked === undefined) return;
      const run = verifyAndStore(tracked).finally(() => {
        running.delete(run);
        if (queue.length === 0) job.wake();
        start();
      });
      running.add(run);
    }
  }

  // Stops after the job below, which starts them.
  runtime.onStop(`verifications on chain ${chainId}`, async () => {
    while (running.size > 0) await Promise.all(running);
  });
  const job = every({
    name: `verification on chain ${chainId}`,
    intervalMs,
    runtime,
    act: async () => {
      // A process that stops leases nothing: it would be due elsewhere only after the lease.
      if (runtime.stopping.aborted) return;
      const max = queuedMax - queue.length;
      if (max === 0) return;
      const now = runtime.clock.now();
      queue.push(...(await leaseTransactions(pool, { chainId, now, leaseMs: LEASE_MS, max })));
      start();
    },
  });
  return job;
}

/** Several findings share a statement. */
function createStoringVerifier({ verifier, pool, runtime, onFound }: VerifyOptions) {
  const { chainId } = verifier.chain;
  const { clock, log, stopping } = runtime;
  const store = createBatcher(async (findings: Finding[]) => {
    await storeFindings(pool, findings, clock.now());
    return findings.map(() => true);
  });

  function postpone(tracked: Tracked, delayMs: number): Promise<void> {
    return rescheduleTransactions(pool, [
      { tracked, nextAt: new Date(clock.now().getTime() + delayMs) },
    ]);
  }

  return async (tracked: Tracked): Promise<void> => {
    const { txHash } = tracked;
    try {
      // When the process stops, transactions in the queue are due at once for another process.
      if (stopping.aborted) return await postpone(tracked, 0);
      const finding = await verifyTransaction(verifier, tracked);
      await store(finding);
      count(finding, clock.now());
      onFound();
    } catch (error) {
      log.error({ err: error, chainId, txHash }, "a transaction could not be verified");
      // The lease makes it due again where this fails as well.
      await postpone(tracked, FAULT_DELAY_MS).catch((fault: unknown) => {
        log.error({ err: fault, chainId, txHash }, "a transaction could not be scheduled");
      });
    }
  };
}

function count(finding: Finding, now: Date): void {
  const { tracked, state } = finding;
  const chain = tracked.chainId;
  if (state === "waiting") {
    if (isUnproven(finding) && isOverdue(tracked, now)) overdueTotal.inc({ chain });
    return;
  }
  verificationsTotal.inc({ chain, state });
  verificationSeconds.observe({ chain }, (now.getTime() - tracked.createdAt.getTime()) / 1_000);
}

/** In a block and not proven. What only a person can read from a trace is told to its merchant instead. */
function isUnproven({ block, waitsFor }: Finding): boolean {
  return block !== undefined && waitsFor !== "trace";
}
