// The input and the result of a verification.
import type { Clock } from "@pay/process";
import type { Address, TxHash } from "@pay/values";
import type { Candidate, Sender } from "../attribution/domain/candidate.ts";
import type { FinalVerdict } from "../attribution/domain/claim.ts";
import type { Evidence } from "../attribution/domain/evidence.ts";
import type { Claimants } from "../attribution/storage/claimants.ts";
import type { ClaimedTransaction } from "../attribution/storage/competing-payments.ts";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import type { Mined } from "./read-transaction.ts";

/** Candidates of one tenant with the same transaction, recipient and currency. */
export type CandidateGroup = readonly [Candidate, ...Candidate[]];

export interface Verifier {
  chain: ConfiguredChain;
  providers: Providers;
  getHeadCache(reader: Reader): ChainHeadCache;
  /** Decimals of the listed tokens by address. */
  tokens(): ReadonlyMap<Address, number>;
  /** How long after the expiry of its payment a wallet may sign for a claim on hold. */
  signingMs: number;
  claimants(group: CandidateGroup, claimed: ClaimedTransaction): Promise<Claimants>;
  clock: Clock;
}

/** A candidate without a verdict is verified again later, or abandoned. */
export type NextAction = { candidate: Candidate } & (
  | {
      kind: "retry";
      delayMs: number;
      misses: number;
      sender: Sender | undefined;
      firstSeenAt: Date | undefined;
      /** Undefined where nothing was verified. */
      evidence: Evidence | undefined;
    }
  | { kind: "abandon" }
);

export interface CandidateVerdict {
  candidate: Candidate;
  judgedHashes: number | undefined;
  verdict: FinalVerdict;
}

export interface Verification {
  actions: NextAction[];
  verdicts: CandidateVerdict[];
  /** The transaction that the verdicts are about; absent where none was found. */
  seen?: { txHash: TxHash; mined: Mined };
  /** The evidence of its verdicts. */
  evidence: Evidence;
}
