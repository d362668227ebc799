// Turns transfers into the rows of a step: transfers to watched recipients, and a candidate for each payment that one
// of them may pay.
import { outboxRow } from "@pay/events";
import { type Address, type ChainId, sumAmounts } from "@pay/values";
import type { Pool } from "pg";
import { foundSubmission } from "../attribution/domain/watch.ts";
import { toSeenEvent } from "../attribution/observations.ts";
import { findMatches, type Match } from "../attribution/storage/matches.ts";
import type { SettledTransfer } from "../attribution/storage/rows.ts";
import type { RawTransfer } from "../providers/decode-logs.ts";
import type { Transfer } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { readHits } from "./scan.ts";
import type { Found, Step } from "./storage/steps.ts";

export interface FindTerms {
  pool: Pool;
  chainId: ChainId;
  tokens: ReadonlySet<Address>;
  isWatched(transfer: Pick<Transfer, "currency" | "recipient">): boolean;
  now: Date;
}

export type Findings = Pick<Step, "transfers" | "blocks" | "found">;

export const NOTHING: Findings = { transfers: [], blocks: [], found: [] };

export async function findPayments(
  reader: Reader,
  raw: readonly RawTransfer[],
  terms: FindTerms,
): Promise<Findings> {
  const hits = raw.filter(terms.isWatched);
  if (hits.length === 0) return NOTHING;
  const { transfers, blocks } = await readHits(reader, hits, terms);
  return { transfers, blocks, found: await matchTransfers(transfers, terms) };
}

export async function matchTransfers(
  transfers: readonly SettledTransfer[],
  { pool, chainId, now }: Pick<FindTerms, "pool" | "chainId" | "now">,
): Promise<Found[]> {
  const matches = await findMatches(pool, chainId, transfers);
  return groupByTransaction(matches).map((one) => toFound(one, now));
}

type Paid = Match<SettledTransfer>;
type Group = readonly [Paid, ...Paid[]];

/** Two transfers of one transaction to a payment are one candidate. */
function groupByTransaction(matches: readonly Paid[]): Group[] {
  const groups = new Map<string, [Paid, ...Paid[]]>();
  for (const match of matches) {
    const key = `${match.watch.paymentId} ${match.transfer.txHash}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [match]);
    else group.push(match);
  }
  return [...groups.values()];
}

function toFound(group: Group, now: Date): Found {
  const [{ watch, transfer }] = group;
  const submission = foundSubmission(watch, transfer.txHash, now);
  const received = sumAmounts(group.map((match) => match.transfer.value));
  if (received < watch.baseAmount) return { submission, event: undefined };
  const { blockNumber, blockTime, sender } = transfer;
  const seen = { txHash: transfer.txHash, blockNumber, blockTime };
  return {
    submission,
    event: outboxRow(toSeenEvent(submission, { seen, received, sender, at: now })),
  };
}
