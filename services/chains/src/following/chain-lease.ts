// The memory of a chain's leader: its cursor, the recipients of all open payments, and the recent transfers. A new
// leader loads it again.
import type { Address, Amount, ChainId, Currency } from "@pay/values";
import type { Pool } from "pg";
import { SLACK_MAX_MS } from "../attribution/domain/orders.ts";
import { listDepositAddresses, listRecipients } from "../attribution/storage/watches.ts";
import { NATIVE, type Transfer } from "../providers/domain/transfer.ts";
import type { SettledTransfer } from "../verification/domain/transaction.ts";
import type { Prefetch } from "./prefetch.ts";
import { createRecentTransfers, type RecentTransfers } from "./recent-transfers.ts";
import { createRecipientSet, type RecipientSet } from "./recipient-set.ts";
import type { Cursor } from "./storage/cursors.ts";
import {
  type OpenedPayment,
  type OpenedPlace,
  type OpenedWatch,
  readOpened,
} from "./storage/opened-watches.ts";

const OPENED_MAX = 5_000;

export interface ChainLease {
  cursor: Cursor;
  /** Recipients of payments in tokens, and of those in native coin. */
  readonly tokens: RecipientSet;
  readonly natives: RecipientSet;
  /**
   * The tokens that open payments wait for. Another process may list one and offer it before this one does, and its
   * transfers must be read from then on.
   */
  readonly awaited: Set<Address>;
  readonly recentLogs: RecentTransfers;
  /** The tokens whose transfers are all among the recent logs. */
  recentTokens: ReadonlySet<Address>;
  readonly recentNative: RecentTransfers;
  /** The transactions of payments that were opened since the oldest open transaction, and are handled. */
  handled: ReadonlyMap<string, bigint>;
  /** The reading of opened payments that is under way. */
  opening: Opening | undefined;
  /** The followed block after which a response was doubtful. */
  doubtedAfter: string | undefined;
  /** The blocks behind the cursor, while they are read. */
  prefetched: Prefetch | undefined;
  /** Native coin of recipients of open payments, as it was read last. */
  readonly balances: Map<Address, Balance>;
  /** The search for what contracts passed on to them, while it runs, and what it has found. */
  searching: Promise<void> | undefined;
  readonly innerCoin: SettledTransfer[];
}

/** At a block. */
export interface Balance {
  number: number;
  amount: Amount;
}

/** As far as the payments are handled. */
interface Opening {
  /** Where the reading after this one starts: as it was at the first page, since what commits meanwhile is on none. */
  horizon: bigint;
  after: OpenedPlace;
  handled: Map<string, bigint>;
}

export async function loadChainLease(
  pool: Pool,
  chainId: ChainId,
  cursor: Cursor,
): Promise<ChainLease> {
  const watched = {
    tokens: createRecipientSet(),
    natives: createRecipientSet(),
    awaited: new Set<Address>(),
  };
  for await (const place of listRecipients(pool, chainId)) watchFor(watched, place);
  for await (const place of listDepositAddresses(pool, chainId)) watchDeposits(watched, place);
  return {
    cursor,
    ...watched,
    handled: new Map(),
    opening: undefined,
    doubtedAfter: undefined,
    prefetched: undefined,
    balances: new Map(),
    searching: undefined,
    innerCoin: [],
    recentLogs: createRecentTransfers(),
    recentTokens: new Set(),
    recentNative: createRecentTransfers(),
  };
}

function watchFor(
  { tokens, natives, awaited }: Pick<ChainLease, "tokens" | "natives" | "awaited">,
  { currency, recipient }: Pick<OpenedPayment, "currency" | "recipient">,
): void {
  if (currency === NATIVE) {
    natives.add(recipient);
  } else {
    tokens.add(recipient);
    awaited.add(currency);
  }
}

/** A token of any kind that is sent to a deposit address has come for its payment. */
function watchDeposits(
  { tokens, natives }: Pick<ChainLease, "tokens" | "natives">,
  { payTo, currency }: { payTo: Address; currency: Currency },
): void {
  tokens.add(payTo);
  if (currency === NATIVE) natives.add(payTo);
}

/** A wallet that pays itself pays nothing. */
export function isWatchedBy(
  { natives, tokens }: ChainLease,
  { currency, recipient, sender }: Pick<Transfer, "currency" | "recipient" | "sender">,
): boolean {
  if (sender === recipient) return false;
  return (currency === NATIVE ? natives : tokens).has(recipient);
}

export interface Opened {
  /** To be looked for on the chain. */
  watches: OpenedPayment[];
  /** To be called when they are looked back for. */
  handled(): void;
  watchedXid: bigint;
  isWhole: boolean;
}

/** The next payments that were opened since the last reading; from now on their recipients are watched. */
export async function takeOpened(
  pool: Pool,
  chainId: ChainId,
  chainLease: ChainLease,
): Promise<Opened> {
  const { opening } = chainLease;
  const from = opening?.after ?? chainLease.cursor.watchedXid;
  const { opened, end, ...read } = await readOpened(pool, { chainId, from, max: OPENED_MAX });
  const { horizon, handled } = opening ?? { ...read, handled: new Map<string, bigint>() };
  for (const { watch } of opened) {
    const { payTo, currency } = watch;
    watchFor(chainLease, watch);
    if (payTo !== undefined) watchDeposits(chainLease, { payTo, currency });
  }
  const open = opened.filter((one) => chainLease.handled.get(getKey(one)) !== one.xid);
  return {
    watches: open.map(({ watch }) => watch),
    handled: () => {
      for (const one of opened) handled.set(getKey(one), one.xid);
      chainLease.opening = end && { horizon, after: end, handled };
      if (end === undefined) chainLease.handled = handled;
    },
    watchedXid: end !== undefined && end.xid < horizon ? end.xid : horizon,
    isWhole: end === undefined,
  };
}

function getKey({ watch: { projectId, paymentId } }: OpenedWatch): string {
  return `${projectId} ${paymentId}`;
}

/** Since when the earliest of them must be looked for. */
export function earliest(watches: readonly OpenedPayment[]): Date {
  // A block may bear an earlier stamp than the payment.
  return new Date(Math.min(...watches.map(({ openedAt }) => openedAt.getTime())) - SLACK_MAX_MS);
}
