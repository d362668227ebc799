// Turns transfers to followed recipients into the rows of a step.
import type { Address, ChainId } from "@pay/values";
import type { RawTransfer } from "../providers/decode-logs.ts";
import type { Transfer } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { readHits } from "./scan.ts";
import type { Step } from "./storage/steps.ts";

export interface FindTerms {
  chainId: ChainId;
  tokens: ReadonlySet<Address>;
  isWatched(transfer: Pick<Transfer, "currency" | "recipient" | "sender">): boolean;
}

export type Findings = Pick<Step, "transfers" | "blocks">;

export async function findTransfers(
  reader: Reader,
  raw: readonly RawTransfer[],
  terms: FindTerms,
): Promise<Findings> {
  const hits = raw.filter(terms.isWatched);
  return hits.length === 0 ? { transfers: [], blocks: [] } : readHits(reader, hits, terms);
}
