// Gives signed transactions to every provider. One that takes it is enough to go on; what the others say is counted.
import { broadcastsTotal } from "../metrics.ts";
import { RpcError, type RpcFault } from "../providers/endpoint.ts";
import type { Reader } from "../providers/reader.ts";
import { markSent } from "../storage/intent-moves.ts";
import type { Turn } from "./turn.ts";

export interface Broadcast {
  txHash: string;
  raw: string;
}

/** taken: a provider has it, or had it already. */
export type Outcome = "taken" | RpcFault;

export async function broadcast(
  { readers, pool, clock, chain: { chainId } }: Turn,
  transactions: readonly Broadcast[],
): Promise<Map<string, Outcome>> {
  const outcomes = await Promise.all(
    transactions.map(async ({ txHash, raw }) => [txHash, await sendOne(readers, raw)] as const),
  );
  for (const [, outcome] of outcomes) broadcastsTotal.inc({ chain: chainId, outcome });
  const txHashes = outcomes.flatMap(([txHash, outcome]) => (outcome === "taken" ? txHash : []));
  await markSent(pool, { chainId, txHashes, now: clock.now() });
  return new Map(outcomes);
}

/** The others go on in the background, each within the deadline of a call. */
async function sendOne(readers: readonly Reader[], raw: string): Promise<Outcome> {
  try {
    await Promise.any(readers.map((reader) => sendTo(reader, raw)));
    return "taken";
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const faults = errors.map((one) => {
      if (one instanceof RpcError) return one.fault;
      throw one;
    });
    return faults.find((fault) => TELLING.has(fault)) ?? faults[0] ?? "network";
  }
}

const TELLING: ReadonlySet<RpcFault> = new Set(["no_funds", "nonce_too_low", "underpriced"]);

async function sendTo(reader: Reader, raw: string): Promise<void> {
  try {
    await reader.send(raw);
  } catch (error) {
    if (!(error instanceof RpcError && error.fault === "already_known")) throw error;
  }
}
