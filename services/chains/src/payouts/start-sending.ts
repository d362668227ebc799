// The jobs that send: one per wallet, so that a slow wallet delays no other, one that plans its sweeps, and two for all
// intents.
import { every, type Job, type Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { sampleOpenIntents } from "../generated/sql.ts";
import { intentsHeld, intentsOldest, signersFrozen } from "../metrics.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Verifier } from "../verification/verifier.ts";
import { endIntent } from "./fail-intent.ts";
import { sendFrom } from "./sender.ts";
import type { Signer } from "./signer.ts";
import { listOverdue } from "./storage/intents.ts";
import { countFrozen } from "./storage/signers.ts";
import { planSweeps } from "./sweeps.ts";
import type { Sending } from "./wallet-round.ts";

export interface SendingOptions {
  signers: readonly Signer[];
  verifiers: readonly Verifier[];
  pool: Pool;
  prisma: PrismaClient;
  runtime: Runtime;
  intervalMs: number;
  /** Pause between two plans of sweeps. */
  planIntervalMs: number;
  onWritten(): void;
  /** Called with the chain on which a transaction was mined. */
  onMined(chainId: ChainId): void;
}

/** Answers what wakes the jobs of all wallets. */
export function startSending(options: SendingOptions): () => void {
  const { signers, verifiers, runtime, intervalMs } = options;
  const jobs = signers.map((signer): Job => {
    const verifier = verifiers.find(({ chain }) => chain.chainId === signer.chainId);
    if (verifier === undefined) throw new Error(`chain ${signer.chainId} has no provider`);
    const sending = toSending(verifier, options);
    runtime.onStop(`signer of ${signer.address}`, async () => signer.close());
    startPlanning(sending, signer, options);
    return every({
      name: `sending from ${signer.address} on chain ${signer.chainId}`,
      intervalMs,
      runtime,
      act: () => sendFrom(sending, signer),
    });
  });
  startEnding(options);
  startSampling(options);
  return () => {
    for (const job of jobs) job.wake();
  };
}

function startPlanning(
  sending: Sending,
  signer: Signer,
  { runtime, planIntervalMs }: SendingOptions,
): void {
  every({
    name: `sweeps by ${signer.address} on chain ${signer.chainId}`,
    intervalMs: planIntervalMs,
    runtime,
    act: () => planSweeps(sending, signer),
  });
}

function toSending(verifier: Verifier, options: SendingOptions): Sending {
  const { chain, providers, getHeadCache, tokens, clock } = verifier;
  const { pool, prisma, runtime, onWritten, onMined } = options;
  return {
    chain,
    providers,
    pool,
    prisma,
    clock,
    onWritten,
    log: runtime.log,
    stopping: runtime.stopping,
    readHeights: (reader) => getHeadCache(reader).heights(),
    getDecimals: (currency) =>
      currency === NATIVE ? chain.nativeDecimals : tokens().get(currency),
    onMined: () => onMined(chain.chainId),
  };
}

const PATIENCE_MS = 7 * 24 * 3_600_000;
const ENDING_INTERVAL_MS = 60_000;
const ENDED_MAX = 100;

/** What could not be signed for a week is given up, as a refund is that its merchant does not send. */
function startEnding({ pool, runtime, onWritten }: SendingOptions): void {
  const { clock, log } = runtime;
  const job = every({
    name: "end of intents that were not signed in time",
    intervalMs: ENDING_INTERVAL_MS,
    runtime,
    act: async () => {
      const before = new Date(clock.now().getTime() - PATIENCE_MS);
      const overdue = await listOverdue(pool, { before, max: ENDED_MAX });
      for (const intent of overdue) {
        await endIntent({ pool, clock, log, onWritten }, intent, {
          from: "waiting",
          reason: "timeout",
        });
      }
      if (overdue.length === ENDED_MAX) job.wake();
    },
  });
}

const SAMPLE_INTERVAL_MS = 15_000;

function startSampling({ pool, prisma, runtime }: SendingOptions): void {
  every({
    name: "gauges of intents",
    intervalMs: SAMPLE_INTERVAL_MS,
    runtime,
    act: async () => {
      const [open, frozen] = [await sampleOpenIntents(pool), await countFrozen(prisma)];
      intentsHeld.reset();
      intentsOldest.reset();
      const ages = new Map<string, number>();
      for (const { chain, reason, count, oldest } of open) {
        if (reason !== "none") intentsHeld.set({ chain, reason }, count);
        ages.set(chain, Math.max(ages.get(chain) ?? 0, oldest));
      }
      for (const [chain, oldest] of ages) intentsOldest.set({ chain }, oldest);
      for (const { chain, count } of frozen) signersFrozen.set({ chain }, count);
    },
  });
}
