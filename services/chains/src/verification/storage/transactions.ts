// Transactions under verification. A lease moves the due time forward, so no lock is held while providers are called,
// and transactions of a crashed process become due again by themselves.
import { type ChainId, toAddress, toAmount, toChainId, toCurrency, toTxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import {
  type Finding,
  type SettledTransfer,
  type Target,
  type Tracked,
  targetName,
} from "../domain/transaction.ts";

export async function leaseTransactions(
  pool: Pool,
  { chainId, now, leaseMs, max }: { chainId: ChainId; now: Date; leaseMs: number; max: number },
): Promise<Tracked[]> {
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const rows = await sql.leaseDueTransactions(pool, { chainId, now, leasedUntil, max });
  return rows.map((row) => ({
    chainId: toChainId(row.chain_id),
    txHash: toTxHash(row.tx_hash),
    targets: row.targets.map(toTarget),
    outgoingAmount: row.outgoing_amount === null ? undefined : toAmount(row.outgoing_amount),
    giveUpAt: row.give_up_at ?? undefined,
    misses: row.misses,
    sender:
      row.sender === null
        ? undefined
        : {
            address: toAddress(row.sender),
            nonce: Number(row.nonce),
            seenBlock: Number(row.seen_block),
          },
    firstSeenAt: row.first_seen_at ?? undefined,
    createdAt: row.created_at,
    blockHash: row.block_hash ?? undefined,
    waitsFor: row.waits_for ?? undefined,
  }));
}

/** As the statement writes it. */
function toTarget(text: string): Target {
  const [recipient = "", currency = ""] = text.split(" ");
  return { recipient: toAddress(recipient), currency: toCurrency(currency) };
}

/** Writes them with their transfers, and queues the wallets for which that is news. */
export async function storeFindings(
  pool: Pool,
  findings: readonly Finding[],
  now: Date,
): Promise<void> {
  if (findings.length === 0) return;
  await sql.storeFindings(pool, {
    transactions: findings.map((finding) => toRow(finding, now)),
    transfers: findings
      .filter(isNews)
      .flatMap(({ tracked, transfers }) =>
        transfers.map((transfer) => ({ chain_id: tracked.chainId, ...toTransferRow(transfer) })),
      ),
    now,
  });
}

function toRow(finding: Finding, now: Date): sql.StoreFindingsTransactions {
  const { tracked, sender, block } = finding;
  return {
    chain_id: tracked.chainId,
    tx_hash: tracked.txHash,
    state: finding.state,
    next_at: finding.nextAt,
    give_up_at: finding.giveUpAt ?? null,
    misses: finding.misses,
    sender: sender?.address ?? null,
    nonce: sender?.nonce ?? null,
    seen_block: sender?.seenBlock ?? null,
    replaced_by: finding.replacedBy ?? null,
    first_seen_at: finding.isSeen ? now : null,
    waits_for: finding.waitsFor ?? null,
    block_number: block?.number ?? null,
    block_hash: block?.hash ?? null,
    block_time: block?.time ?? null,
    proofs: finding.proofs,
    chain_head: finding.head ?? null,
    agreeing: finding.agreeing ?? null,
    contradicting: finding.contradicting ?? null,
    is_news: isNews(finding),
    targets: tracked.targets.map(targetName),
  };
}

/** Whether somebody else has to know. */
function isNews({ tracked, state, block, waitsFor }: Finding): boolean {
  const isTraceNews = (waitsFor === "trace") !== (tracked.waitsFor === "trace");
  return state !== "waiting" || block?.hash !== tracked.blockHash || isTraceNews;
}

export function toTransferRow(transfer: SettledTransfer) {
  return {
    tx_hash: transfer.txHash,
    kind: transfer.kind,
    ordinal: transfer.ordinal,
    block_number: transfer.blockNumber,
    block_hash: transfer.blockHash,
    block_time: transfer.blockTime,
    currency: transfer.currency,
    sender: transfer.sender,
    recipient: transfer.recipient,
    value: transfer.value,
    reference: transfer.reference ?? null,
    authorized: transfer.authorized ?? null,
  };
}

export async function rescheduleTransactions(
  pool: Pool,
  transactions: readonly { tracked: Tracked; nextAt: Date }[],
): Promise<void> {
  if (transactions.length === 0) return;
  await sql.rescheduleTransactions(pool, {
    transactions: transactions.map(({ tracked, nextAt }) => ({
      chain_id: tracked.chainId,
      tx_hash: tracked.txHash,
      next_at: nextAt,
    })),
  });
}
