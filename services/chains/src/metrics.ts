import { Counter, Gauge, Histogram } from "prom-client";

export const verificationsTotal = new Counter({
  name: "chain_verifications_total",
  help: "Transactions whose verification ended, by chain and end: proven, failed or missing",
  labelNames: ["chain", "state"],
});

export const verificationSeconds = new Histogram({
  name: "chain_verification_seconds",
  help: "Time from the first interest in a transaction to the end of its verification",
  labelNames: ["chain"],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
});

export const attributionsTotal = new Counter({
  name: "chain_attributions_total",
  help: "Transfers by what was made of them: the rule that found their payment, or the reason that they have none",
  labelNames: ["chain", "outcome"],
});

export const attributionFaultsTotal = new Counter({
  name: "chain_attribution_faults_total",
  help: "Decisions about one wallet that failed; they are made again",
});

export const outcomesTotal = new Counter({
  name: "chain_hash_outcomes_total",
  help: "Submitted hashes by what became of them",
  labelNames: ["chain", "outcome"],
});

export const abandonedTotal = new Counter({
  name: "chain_hashes_abandoned_total",
  help: "Submitted hashes that were given up without a verdict",
});

export const followedHead = new Gauge({
  name: "chain_followed_block",
  help: "The last block whose transfers are stored; only the leader of the chain reports it",
  labelNames: ["chain"],
});

export const foundTotal = new Counter({
  name: "chain_transactions_found_total",
  help: "Transfers that were found on the chain for the recipient of a tenant",
  labelNames: ["chain"],
});

export const orphanedTotal = new Counter({
  name: "chain_transfers_orphaned_total",
  help: "Transfers whose block was replaced by a reorganisation",
  labelNames: ["chain"],
});

export const unprovenTotal = new Counter({
  name: "chain_payments_unproven_total",
  help: "Confirmed payments whose proof a reorganisation removed",
  labelNames: ["chain"],
});

export const overdueTotal = new Counter({
  name: "chain_transactions_unproven_total",
  help: "Verifications that found a transaction in a block and could not prove it long after its payment's time",
  labelNames: ["chain"],
});

export const missedTotal = new Counter({
  name: "chain_transfers_missed_total",
  help: "Transfers that pay something and that only the second reading, of the final chain, found",
  labelNames: ["chain"],
});

export const innerFoundTotal = new Counter({
  name: "chain_inner_transfers_found_total",
  help: "Transfers of native coin by contracts that a recipient's balance led to",
  labelNames: ["chain"],
});

export const disagreementsTotal = new Counter({
  name: "chain_provider_disagreements_total",
  help: "Blocks on which two providers disagreed, by the one that contradicted the other",
  labelNames: ["chain", "provider"],
});

export const laggingTotal = new Counter({
  name: "chain_provider_lagging_total",
  help: "Questions about a transaction whose block the asked provider had not reached",
  labelNames: ["chain"],
});

export const scansFailedTotal = new Counter({
  name: "chain_scans_failed_total",
  help: "Steps of following a chain that a provider could not answer, by kind of fault",
  labelNames: ["chain", "kind"],
});

export const signaturesTotal = new Counter({
  name: "chain_signatures_total",
  help: "Transactions of refunds and settlements that were signed and stored, and signers that did not answer",
  labelNames: ["chain", "outcome"],
});

export const broadcastsTotal = new Counter({
  name: "chain_broadcasts_total",
  help: "Signed transactions given to the providers, by what came of it: taken, or the fault",
  labelNames: ["chain", "outcome"],
});

export const bumpsTotal = new Counter({
  name: "chain_fee_bumps_total",
  help: "Transactions that were signed again for a higher fee",
  labelNames: ["chain"],
});

export const intentsEndedTotal = new Counter({
  name: "chain_intents_ended_total",
  help: "Refunds and settlements that the service sent itself, by end: completed, or why they were not sent",
  labelNames: ["chain", "outcome"],
});

export const intentsHeld = new Gauge({
  name: "chain_intents_held",
  help: "Refunds and settlements that are not sent at present, by reason",
  labelNames: ["chain", "reason"],
});

export const intentsOldest = new Gauge({
  name: "chain_intents_oldest_seconds",
  help: "Age of the oldest refund or settlement that is to be sent and is not mined",
  labelNames: ["chain"],
});

export const signersFrozen = new Gauge({
  name: "chain_signers_frozen",
  help: "Wallets for which nothing is signed until an operator has looked",
  labelNames: ["chain"],
});

export const signersUnusable = new Gauge({
  name: "chain_signers_unusable",
  help: "Wallets of the configuration that were put aside at the start, because their key cannot be used",
  labelNames: ["chain"],
});

export const bookDifferences = new Gauge({
  name: "chain_book_differences",
  help: "Differences between the chain and the records that no operator has settled",
  labelNames: ["chain"],
});

export const booksChecked = new Gauge({
  name: "chain_books_checked_timestamp_seconds",
  help: "When this process last found all accounts of the books checked up to the final block",
  labelNames: ["chain"],
});

export const rpcFaultsTotal = new Counter({
  name: "chain_rpc_errors_total",
  help: "Calls to providers that failed, by chain and kind of fault",
  labelNames: ["chain", "kind"],
});
