// Everything that decisions about wallets depend on, read for many wallets at once.

import { type Queryable, transaction } from "@pay/database";
import { type Address, type PaymentReference, type TxHash, toAddress } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import { isOnChain, type Name } from "../domain/decision.ts";
import { type LeasedWallet, toWallet, type Wallet, walletName, walletRow } from "./queue.ts";
import { findAnswered, findScreenings, type StoredScreening } from "./screenings.ts";

export type StoredTransfer = sql.FindOpenTransfersRow;
export type StoredWatch = sql.FindWatchesRow;
export type StoredSubmission = sql.FindWalletSubmissionsRow;
export type StoredTransaction = sql.FindTransactionsRow;
export type StoredSums = sql.FindPaymentSumsRow;

export interface WalletFacts {
  wallet: LeasedWallet;
  /** In the order of the chain; also those that left it. */
  transfers: StoredTransfer[];
  watches: StoredWatch[];
  /** In the order of submission. */
  submissions: StoredSubmission[];
  transactions: ReadonlyMap<TxHash, StoredTransaction>;
  sums: ReadonlyMap<string, StoredSums>;
  /** Payments that transfers name. */
  names: ReadonlyMap<PaymentReference, Name>;
  ownSenders: ReadonlySet<Address>;
  payoutSenders: ReadonlySet<Address>;
  sweptSenders: ReadonlySet<Address>;
  /** Whether wallets that pay are screened. */
  isScreening: boolean;
  /** By payment. */
  screenings: ReadonlyMap<string, StoredScreening[]>;
}

/** By wallet, the ids of transfers about which nothing is decided. */
export async function findUndecided(
  pool: Pool,
  wallets: readonly LeasedWallet[],
): Promise<bigint[][]> {
  const rows = await sql.findUndecided(pool, { wallets: numbered(wallets) });
  const found = Map.groupBy(rows, ({ n }) => n);
  return wallets.map((_, n) => (found.get(n) ?? []).map(({ transfer_id }) => transfer_id));
}

function numbered(wallets: readonly LeasedWallet[]) {
  return wallets.map((wallet, n) => ({ n, ...walletRow(wallet) }));
}

/** As they are at one moment: a transaction is never newer than what is known of its transfers. */
export function loadFacts(pool: Pool, wallets: readonly LeasedWallet[]): Promise<WalletFacts[]> {
  return transaction(pool, (tx) => readFacts(tx, wallets), { isolation: "repeatable read" });
}

async function readFacts(db: Queryable, wallets: readonly LeasedWallet[]): Promise<WalletFacts[]> {
  const open = Map.groupBy(
    await sql.findOpenTransfers(db, { wallets: numbered(wallets) }),
    ({ n }) => n,
  );
  const alive = wallets.flatMap((wallet, n) =>
    (open.get(n) ?? []).filter(isOnChain).map((transfer) => ({ n, wallet, transfer })),
  );
  // Also of transfers that left the chain: a refund may have been paid by one.
  const hashes = wallets.flatMap((wallet, n) =>
    (open.get(n) ?? []).map(({ tx_hash }) => ({
      chain_id: wallet.chainId,
      tx_hash,
      project_id: wallet.projectId,
      mode: wallet.mode,
    })),
  );
  const candidates = await findCandidates(db, alive);
  const senders = await findSenders(db, alive);
  const named = await sql.findWalletSubmissions(db, {
    wallets: wallets.map(walletRow),
    payments: [],
    hashes,
  });
  const referred = await findReferred(db, alive);
  const untraced = await sql.findUntraced(db, { wallets: wallets.map(walletRow) });
  const answered = await findAnswered(db, wallets);
  const watches = await sql.findWatches(db, {
    payments: unique(
      [
        ...candidates,
        ...listMentioned(wallets, open),
        ...untraced,
        ...answered,
        ...referred,
        ...named.map(({ project_id, subject_id }) => ({ project_id, payment_id: subject_id })),
      ].map(({ project_id, payment_id }) => ({ project_id, payment_id })),
    ),
  });
  const screenings = await findScreenings(db, wallets, watches);
  const sums = await sql.findPaymentSums(db, { payments: watches });
  const submissions = [
    ...named,
    ...(await sql.findWalletSubmissions(db, { wallets: [], payments: watches, hashes: [] })),
  ];
  const paid = await sql.findPaidTransfers(db, {
    wallets: numbered(wallets),
    payments: watches,
    hashes: submissions,
  });
  const transactions = await sql.findTransactions(db, {
    hashes: unique(
      [...alive.map(({ transfer }) => transfer), ...paid, ...submissions].map(
        ({ chain_id, tx_hash }) => ({ chain_id, tx_hash }),
      ),
    ),
  });
  return wallets.map((wallet, n): WalletFacts => {
    const name = walletName(wallet);
    const own = watches.filter((watch) => walletName(toWallet(watch)) === name);
    const ids = new Set(own.map(({ payment_id }) => payment_id));
    const isOwn = ({ project_id }: { project_id: string }) => project_id === wallet.projectId;
    const ofWallet = paid.filter((row) => row.n === n);
    return {
      wallet,
      watches: own,
      transfers: inChainOrder([...(open.get(n) ?? []), ...ofWallet]),
      submissions: uniqueBy(
        submissions.filter((row) => walletName(toWallet(row)) === name),
        ({ subject_id, tx_hash }) => `${subject_id} ${tx_hash}`,
      ),
      transactions: new Map(
        transactions
          .filter(({ chain_id }) => chain_id === BigInt(wallet.chainId))
          .map((row) => [row.tx_hash, row]),
      ),
      sums: new Map(
        sums.flatMap((row) =>
          isOwn(row) && ids.has(row.payment_id) ? [[row.payment_id, row]] : [],
        ),
      ),
      names: new Map(referred.map((row) => [row.reference, toName(row, wallet)])),
      ownSenders: new Set(senders.filter((one) => one.n === n && one.is_own).map(toSender)),
      payoutSenders: new Set(senders.filter((one) => one.n === n && one.is_payout).map(toSender)),
      sweptSenders: new Set(senders.filter((one) => one.n === n && one.is_sweep).map(toSender)),
      ...screenings.ofWallet(wallet, ids),
    };
  });
}

/** Payments that earlier decisions were about. */
function listMentioned(
  wallets: readonly LeasedWallet[],
  open: ReadonlyMap<number, readonly StoredTransfer[]>,
) {
  return wallets.flatMap(({ projectId }, n) =>
    (open.get(n) ?? []).flatMap(({ payment_id, candidates }) =>
      [...(payment_id === null ? [] : [payment_id]), ...(candidates ?? [])].map((id) => ({
        project_id: projectId,
        payment_id: id,
      })),
    ),
  );
}

interface Alive {
  n: number;
  wallet: Wallet;
  transfer: StoredTransfer;
}

function findCandidates(db: Queryable, alive: readonly Alive[]) {
  return sql.findCandidateWatches(db, {
    transfers: alive.map(({ n, wallet, transfer }) => ({
      n,
      ...walletRow(wallet),
      sender: transfer.sender,
      value: transfer.value,
      block_number: transfer.block_number,
      arrived_at: transfer.arrived_at,
    })),
  });
}

async function findReferred(db: Queryable, alive: readonly Alive[]) {
  const references = new Set(alive.flatMap(({ transfer }) => transfer.reference ?? []));
  return references.size === 0 ? [] : sql.findNamedPayments(db, { references: [...references] });
}

function toName(row: sql.FindNamedPaymentsRow, wallet: Wallet): Name {
  const { payment_id: paymentId, project_id, mode } = row;
  if (walletName(toWallet(row)) === walletName(wallet)) return { kind: "here", paymentId };
  const isOwn = project_id === wallet.projectId && mode === wallet.mode;
  return { kind: "elsewhere", paymentId: isOwn ? paymentId : undefined };
}

function findSenders(db: Queryable, alive: readonly Alive[]) {
  return sql.findOwnSenders(db, {
    senders: uniqueBy(
      alive.map(({ n, wallet, transfer }) => ({
        n,
        ...walletRow(wallet),
        sender: String(transfer.sender),
      })),
      ({ n, sender }) => `${n} ${sender}`,
    ),
  });
}

function toSender({ sender }: { sender: string }): Address {
  return toAddress(sender);
}

function inChainOrder(transfers: readonly StoredTransfer[]): StoredTransfer[] {
  return uniqueBy(transfers, ({ id }) => `${id}`).toSorted(
    (a, b) =>
      Number(a.block_number - b.block_number) ||
      compare(a.tx_hash, b.tx_hash) ||
      compare(a.kind, b.kind) ||
      a.ordinal - b.ordinal,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unique<T extends object>(rows: readonly T[]): T[] {
  return uniqueBy(rows, (row) => Object.values(row).join(" "));
}

function uniqueBy<T>(rows: readonly T[], key: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [key(row), row])).values()];
}
