// Intents. Like candidates, they are leased by moving their due time forward, so that no lock is held while providers
// or signers work; those of a process that died become due again.
import type { Queryable } from "@pay/database";
import { type Address, type ChainId, toChainId } from "@pay/values";
import type { Pool } from "pg";
import {
  type ClaimSignedIntentsRow,
  type ClaimWaitingIntentsRow,
  claimSignedIntents,
  claimWaitingIntents,
  countIntentsInFlight,
  type FindSignedTransactionsRow,
  findIntent as findRow,
  findSignedTransactions,
  insertIntents as insertRows,
  listOverdueIntents,
} from "../../generated/sql.ts";
import type { Intent, NewIntent, SignedIntent, SignedTransaction } from "../domain/intent.ts";

/** One intent per refund or settlement, however often its event comes. */
export function insertIntents(
  db: Queryable,
  intents: readonly NewIntent[],
  now: Date,
): Promise<number> {
  return insertRows(db, {
    now,
    intents: intents.map((intent) => ({
      ...toSubjectRow(intent),
      request_id: intent.requestId,
      kind: intent.kind,
      payment_id: intent.paymentId ?? null,
      chain_id: intent.chainId,
      source: intent.source,
      destination: intent.destination,
      currency: intent.currency,
      decimals: intent.decimals,
      base_amount: intent.baseAmount,
      owed_since: intent.owedSince,
      version: intent.version,
    })),
  });
}

/** The key of an intent: ids are unique inside a project alone. */
export type Subject = Pick<Intent, "projectId" | "mode" | "subjectId">;

export function toSubjectRow({ projectId, mode, subjectId }: Subject) {
  return { project_id: projectId, mode, subject_id: subjectId };
}

export interface Wallet {
  chainId: ChainId;
  address: Address;
}

function toIntent(row: ClaimWaitingIntentsRow): Intent {
  return {
    kind: row.kind,
    subjectId: row.subject_id,
    projectId: row.project_id,
    mode: row.mode,
    requestId: row.request_id,
    paymentId: row.payment_id ?? undefined,
    sweptPaymentIds: row.payment_ids ?? [],
    chainId: toChainId(row.chain_id),
    source: row.source,
    destination: row.destination,
    currency: row.currency,
    decimals: row.decimals,
    baseAmount: row.base_amount,
    owedSince: row.owed_since,
    version: row.version,
    callData: row.call_data ?? undefined,
    createdAt: row.created_at,
    heldReason: row.held_reason ?? undefined,
  };
}

interface Lease extends Wallet {
  now: Date;
  leaseMs: number;
  max: number;
}

/** Signed and not mined. */
export async function countInFlight(pool: Pool, { chainId, address }: Wallet): Promise<number> {
  const [row] = await countIntentsInFlight(pool, { chainId, source: address });
  return row?.count ?? 0;
}

/** Those that may be signed now, the oldest first. */
export async function leaseWaiting(
  pool: Pool,
  { address: source, ...lease }: Lease,
): Promise<Intent[]> {
  const rows = await claimWaitingIntents(pool, { ...lease, source });
  return rows.map(toIntent).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Those whose transactions are in a block and not final, or those that are in none; in the order of their nonces. */
export async function leaseSigned(
  pool: Pool,
  { address: source, ...lease }: Lease,
  { isMined }: { isMined: boolean },
): Promise<SignedIntent[]> {
  const rows = await claimSignedIntents(pool, { ...lease, source, isMined });
  const transactions = await findTransactions(pool, rows);
  return rows
    .map((row) => toSignedIntent(row, transactions.get(intentKey(row)) ?? []))
    .sort((a, b) => a.nonce - b.nonce);
}

function toSignedIntent(
  row: ClaimSignedIntentsRow,
  transactions: readonly FindSignedTransactionsRow[],
): SignedIntent {
  function withVerdict(verdict: string) {
    return new Set(
      transactions.filter((one) => one.verdict === verdict).map(({ tx_hash }) => tx_hash),
    );
  }

  return {
    ...toIntent(row),
    nonce: Number(row.nonce),
    gasLimit: row.gas_limit ?? 0n,
    signedBlock: Number(row.signed_block),
    minedTxHash: row.mined_tx_hash ?? undefined,
    proven: withVerdict("confirmed"),
    refuted: withVerdict("rejected"),
    transactions: transactions.map(toTransaction),
  };
}

async function findTransactions(
  pool: Pool,
  intents: readonly SubjectRow[],
): Promise<Map<string, FindSignedTransactionsRow[]>> {
  if (intents.length === 0) return new Map();
  return Map.groupBy(await findSignedTransactions(pool, { intents }), intentKey);
}

type SubjectRow = ReturnType<typeof toSubjectRow>;

function intentKey({ project_id, mode, subject_id }: SubjectRow): string {
  return `${project_id} ${mode} ${subject_id}`;
}

function toTransaction(row: FindSignedTransactionsRow): SignedTransaction {
  return {
    ordinal: row.ordinal,
    txHash: row.tx_hash,
    raw: row.raw,
    fees: { maxFee: row.max_fee, priorityFee: row.priority_fee },
    signedAt: row.signed_at,
    sentAt: row.sent_at ?? undefined,
  };
}

export async function findIntent(
  pool: Pool,
  subject: Subject,
): Promise<{ intent: Intent; state: string } | undefined> {
  const [row] = await findRow(pool, subject);
  return row && { intent: toIntent(row), state: row.state };
}

/** Intents of all wallets that were never signed, the oldest first. */
export async function listOverdue(
  pool: Pool,
  options: { before: Date; max: number },
): Promise<Intent[]> {
  return (await listOverdueIntents(pool, options)).map(toIntent);
}
