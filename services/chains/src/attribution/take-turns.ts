// The loop that decides which payment each transfer is for. A turn leases wallets with changed facts, reads all that
// their decisions depend on, asks payments which orders are open where a new transfer names none, and writes everything
// that follows at once.
//
// - A crash or a slow process: the lease ends, and another process decides on the facts as they are then.
// - Two processes with one wallet: the later lease wins, and the write of the earlier one leaves the wallet out.
// - A fact that changes during a turn marks its wallet again, so another turn follows.
// - A wallet that cannot be decided: it fails alone, and is retried after a pause that doubles with each fault.
// - Payments away: transfers that name no payment wait, everything else goes on.
import { randomUUID } from "node:crypto";
import { every, type Job, type Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import {
  attributionFaultsTotal,
  attributionsTotal,
  outcomesTotal,
  unprovenTotal,
} from "../metrics.ts";
import { decideWallet } from "./decide-wallet.ts";
import { isOnChain } from "./domain/decision.ts";
import { SLACK_MAX_MS } from "./domain/orders.ts";
import type { LearnOrders } from "./learn-orders.ts";
import { findUndecided, loadFacts, type StoredTransfer } from "./storage/facts.ts";
import { type LeasedWallet, leaseWallets, postponeWallet, type Wallet } from "./storage/queue.ts";
import { type DecidedWallet, writeDecisions } from "./storage/write-decisions.ts";

const LEASE_MS = 30_000;
const WALLETS_MAX = 50;
/** While payments is away. */
const RETRY_MS = 1_000;

export interface TurnOptions {
  pool: Pool;
  runtime: Runtime;
  intervalMs: number;
  signingMs: number;
  blockTimes: ReadonlyMap<ChainId, number>;
  /** Undefined for a token that is listed no longer. */
  getDecimals(wallet: Wallet): number | undefined;
  learnOrders: LearnOrders;
  /** Called with the chains whose transactions have to be verified. */
  onToVerify(chainIds: ReadonlySet<ChainId>): void;
  onWritten(): void;
  /** Called when wallets have to be screened. */
  onToScreen(): void;
}

export function startTakingTurns(options: TurnOptions): Job {
  const job = every({
    name: "attribution of transfers",
    intervalMs: options.intervalMs,
    runtime: options.runtime,
    act: async () => {
      if (options.runtime.stopping.aborted) return;
      if ((await takeTurn(options)) === WALLETS_MAX) job.wake();
    },
  });
  return job;
}

/** Decides about the wallets that are due; returns how many. */
export async function takeTurn(options: Turn): Promise<number> {
  const { pool, runtime } = options;
  const { clock, log } = runtime;
  const lease = randomUUID();
  const now = clock.now();
  const wallets = await leaseWallets(pool, { lease, now, leaseMs: LEASE_MS, max: WALLETS_MAX });
  if (wallets.length === 0) return 0;
  try {
    await decide(options, wallets, lease);
  } catch (error) {
    log.debug({ err: error }, "wallets are decided one by one");
    for (const wallet of wallets) await decideAlone(options, wallet, lease);
  }
  return wallets.length;
}

/** Others are not held up by the wallet whose decision fails. */
async function decideAlone(options: Turn, wallet: LeasedWallet, lease: string): Promise<void> {
  const { clock, log } = options.runtime;
  try {
    await decide(options, [wallet], lease);
  } catch (error) {
    const { projectId, chainId, recipient, currency } = wallet;
    attributionFaultsTotal.inc();
    log.error({ err: error, projectId, chainId, recipient, currency }, "a wallet was not decided");
    await postponeWallet(options.pool, wallet, { lease, now: clock.now() });
  }
}

type Turn = Omit<TurnOptions, "intervalMs">;

async function decide(
  options: Turn,
  wallets: readonly LeasedWallet[],
  lease: string,
): Promise<void> {
  const { pool, runtime, signingMs, blockTimes, getDecimals, onToVerify, onWritten } = options;
  const undecided = await findUndecided(pool, wallets);
  const areOrdersKnown = await options.learnOrders(wallets.filter((_, n) => undecided[n]?.length));
  // One that arrives meanwhile waits: payments was asked before.
  const decidable = new Set(areOrdersKnown ? undecided.flat() : []);
  const facts = await loadFacts(pool, wallets);
  const now = runtime.clock.now();
  const decided = facts.map((one): DecidedWallet => {
    const slackMs = Math.min(blockTimes.get(one.wallet.chainId) ?? SLACK_MAX_MS, SLACK_MAX_MS);
    const decision = decideWallet(one, { slackMs, signingMs, now, decidable });
    const isWaiting = !areOrdersKnown && one.transfers.some(isUndecided);
    const retryAt = isWaiting ? new Date(now.getTime() + RETRY_MS) : undefined;
    return { wallet: one.wallet, ...decision, nextAt: retryAt ?? decision.nextAt };
  });
  const written = await writeDecisions(pool, decided, { lease, now, getDecimals });
  for (const one of written) count(one);
  onWritten();
  if (written.some(({ toScreen }) => toScreen.length > 0)) options.onToScreen();
  onToVerify(
    new Set(written.flatMap(({ wallet, toVerify }) => (toVerify.length > 0 ? wallet.chainId : []))),
  );
}

function isUndecided(transfer: StoredTransfer): boolean {
  return transfer.decided_at === null && isOnChain(transfer);
}

function count({ wallet, attributed, submissions, outgoing, watches }: DecidedWallet): void {
  const chain = wallet.chainId;
  for (const { decision, isNew } of attributed) {
    if (!isNew || decision === undefined) continue;
    attributionsTotal.inc({
      chain,
      outcome: "rule" in decision ? decision.rule : decision.reason,
    });
  }
  for (const { outcome } of [...submissions, ...outgoing]) {
    outcomesTotal.inc({ chain, outcome: outcome ?? "open" });
  }
  for (const { watch, isSettled } of watches) {
    if (watch.is_settled && !isSettled) unprovenTotal.inc({ chain });
  }
}
