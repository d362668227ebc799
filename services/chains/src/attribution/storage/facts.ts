// Everything that decisions about wallets depend on, read for many wallets at once.
import { type Address, type TxHash, toAddress } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import { type LeasedWallet, toWallet, type Wallet, walletName, walletRow } from "./queue.ts";

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
  ownSenders: ReadonlySet<Address>;
  payoutSenders: ReadonlySet<Address>;
}

/** The transfers of wallets that may still be decided. */
export async function findOpenTransfers(
  pool: Pool,
  wallets: readonly LeasedWallet[],
): Promise<StoredTransfer[][]> {
  const rows = await sql.findOpenTransfers(pool, {
    wallets: wallets.map((wallet, n) => ({ n, ...walletRow(wallet) })),
  });
  return wallets.map((_, at) => rows.filter(({ n }) => n === at));
}

export async function loadFacts(
  pool: Pool,
  wallets: readonly LeasedWallet[],
  open: readonly (readonly StoredTransfer[])[],
): Promise<WalletFacts[]> {
  const alive = wallets.flatMap((wallet, n) =>
    (open[n] ?? [])
      .filter(({ status }) => status !== "orphaned")
      .map((transfer) => ({ n, wallet, transfer })),
  );
  const hashes = alive.map(({ wallet, transfer }) => ({
    chain_id: wallet.chainId,
    tx_hash: transfer.tx_hash,
    project_id: wallet.projectId,
    mode: wallet.mode,
  }));
  const [candidates, senders, named] = await Promise.all([
    findCandidates(pool, alive),
    findSenders(pool, alive),
    sql.findWalletSubmissions(pool, { wallets: wallets.map(walletRow), payments: [], hashes }),
  ]);
  const mentioned = wallets.flatMap(({ projectId }, n) =>
    (open[n] ?? []).flatMap(({ payment_id, candidates: fitting }) =>
      [...(payment_id === null ? [] : [payment_id]), ...(fitting ?? [])].map((id) => ({
        project_id: projectId,
        payment_id: id,
      })),
    ),
  );
  const watches = await sql.findWatches(pool, {
    payments: unique(
      [
        ...candidates,
        ...mentioned,
        ...named.map(({ project_id, subject_id }) => ({ project_id, payment_id: subject_id })),
      ].map(({ project_id, payment_id }) => ({ project_id, payment_id })),
    ),
  });
  const [paid, submitted, sums] = await Promise.all([
    sql.findPaidTransfers(pool, {
      payments: watches.map(({ project_id, payment_id }, n) => ({ n, project_id, payment_id })),
    }),
    sql.findWalletSubmissions(pool, { wallets: [], payments: watches, hashes: [] }),
    sql.findPaymentSums(pool, { payments: watches }),
  ]);
  const submissions = [...named, ...submitted];
  const transactions = await sql.findTransactions(pool, {
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
    const ofWallet = paid.filter((row) => {
      const watch = watches[row.n];
      return watch !== undefined && ids.has(watch.payment_id) && isOwn(watch);
    });
    return {
      wallet,
      watches: own,
      transfers: inChainOrder([...(open[n] ?? []), ...ofWallet]),
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
        sums
          .filter((row) => isOwn(row) && ids.has(row.payment_id))
          .map((row) => [row.payment_id, row]),
      ),
      ownSenders: new Set(senders.filter((one) => one.n === n && one.is_own).map(toSender)),
      payoutSenders: new Set(senders.filter((one) => one.n === n && one.is_payout).map(toSender)),
    };
  });
}

interface Alive {
  n: number;
  wallet: Wallet;
  transfer: StoredTransfer;
}

function findCandidates(pool: Pool, alive: readonly Alive[]) {
  return sql.findCandidateWatches(pool, {
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

function findSenders(pool: Pool, alive: readonly Alive[]) {
  return sql.findOwnSenders(pool, {
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
