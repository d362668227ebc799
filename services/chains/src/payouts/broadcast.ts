// Sends signed transactions to every provider, as one list. One acceptance is enough to go on.
import type { TxHash } from "@pay/values";
import { broadcastsTotal } from "../metrics.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError, type RpcFault } from "../providers/rpc-error.ts";
import { markSent } from "./storage/signed-transactions.ts";
import type { WalletRound } from "./wallet-round.ts";

export interface Broadcast {
  txHash: TxHash;
  raw: string;
}

/** taken: a provider has accepted it. */
export type Outcome = "taken" | RpcFault;

/** In the order of their nonces, because a node may refuse one whose predecessor it does not have. */
export async function broadcast(
  { readers, pool, clock, chain: { chainId } }: WalletRound,
  transactions: readonly Broadcast[],
): Promise<Map<string, Outcome>> {
  const raws = transactions.map(({ raw }) => raw);
  const lists = readers.map((reader) => sendTo(reader, raws));
  const outcomes = await Promise.all(
    transactions.map(async ({ txHash }, at) => [txHash, await firstTaken(lists, at)] as const),
  );
  for (const [, outcome] of outcomes) broadcastsTotal.inc({ chain: chainId, outcome });
  const txHashes = outcomes.flatMap(([txHash, outcome]) => (outcome === "taken" ? txHash : []));
  await markSent(pool, { chainId, txHashes, now: clock.now() });
  return new Map(outcomes);
}

/** The others go on in the background, each within the deadline of a call. */
function firstTaken(lists: readonly Promise<Outcome[]>[], at: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    async function look(list: Promise<Outcome[]>): Promise<Outcome> {
      const outcome = (await list)[at] ?? "network";
      if (outcome === "taken") resolve(outcome);
      return outcome;
    }

    Promise.all(lists.map(look)).then((faults) => resolve(pickOutcome(faults)), reject);
  });
}

const INFORMATIVE: ReadonlySet<RpcFault> = new Set(["no_funds", "nonce_too_low", "underpriced"]);

function pickOutcome(outcomes: readonly Outcome[]): Outcome {
  const telling = outcomes.find((one) => one !== "taken" && INFORMATIVE.has(one));
  return telling ?? outcomes[0] ?? "network";
}

async function sendTo(reader: Reader, raws: readonly string[]): Promise<Outcome[]> {
  const answers = await reader.send(raws);
  return answers.map((one) => {
    const isTaken = !(one instanceof RpcError) || one.fault === "already_known";
    return isTaken ? "taken" : one.fault;
  });
}
