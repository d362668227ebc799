// The context of following a chain: the lease on its cursor, the providers in order, and the only function that writes.
import { randomUUID } from "node:crypto";
import type { Clock, Log } from "@pay/process";
import type { Address } from "@pay/values";
import type { Pool } from "pg";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import { foundTotal, scansFailedTotal } from "../metrics.ts";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { createRange, type Range } from "../providers/domain/range.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError, type RpcFault } from "../providers/rpc-error.ts";
import { type ChainLease, isWatchedBy, loadChainLease } from "./chain-lease.ts";
import { type Findings, findTransfers } from "./find-transfers.ts";
import { type Cursor, leaseCursor, releaseCursor, type SeenTip } from "./storage/cursors.ts";
import { type StepHead, writeStep } from "./storage/steps.ts";

const LEASE_MS = 3_000;
/** A provider may still return fewer blocks. */
const MADE_BY_WIDTH: ReadonlySet<RpcFault> = new Set(["too_wide", "too_large", "timeout"]);

export interface FollowerOptions {
  chain: ConfiguredChain;
  providers: Providers;
  /** Decimals of the listed tokens by address. */
  tokens(): ReadonlyMap<Address, number>;
  pool: Pool;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
  /** Called when transfers were found or lost, so that they are decided at once. */
  onFound(): void;
}

export interface Session extends FollowerOptions {
  readonly leader: string;
  /** Blocks of the next request for logs to this provider. */
  getRange(reader: Reader): Range;
  /** Tokens whose transfers are read: listed ones, and those that a payment waits for. */
  getTokens(lease: ChainLease): ReadonlySet<Address>;
  /** Takes or keeps the lease; to be called every second. True where it was taken. */
  renew(): Promise<boolean>;
  /** A provider named its highest block: the next renewal stores it. */
  noteTip(number: number): void;
  /** Undefined while another process leads. */
  getLease(): Promise<ChainLease | undefined>;
  /** The first result of a provider; the next one follows where it fails or has none. */
  request<T>(act: Act<T>): Promise<T | undefined>;
  /** The same, beginning with another provider than the one that is followed. */
  requestFromOther: Session["request"];
  find(lease: ChainLease, reader: Reader, raw: readonly RawTransfer[]): Promise<Findings>;
  /** False where another process leads by now. */
  write(lease: ChainLease, step: Written): Promise<boolean>;
  /** Another process has written: the lease decides again which one leads. */
  drop(): void;
  release(): Promise<void>;
}

type Act<T> = (reader: Reader, others: readonly Reader[]) => Promise<T | undefined>;

export type Written = Findings & { head: StepHead; watchedXid?: bigint };

export function createSession(options: FollowerOptions): Session {
  const { chain, pool, clock } = options;
  const { chainId } = chain;
  const leader = randomUUID();
  const getRange = createRanges();
  const holder = createLeaseHolder(options, leader);

  function getTokens({ awaited }: ChainLease) {
    return new Set([...options.tokens().keys(), ...awaited]);
  }

  function find(lease: ChainLease, reader: Reader, raw: readonly RawTransfer[]) {
    return findTransfers(reader, raw, {
      chainId,
      tokens: getTokens(lease),
      isWatched: (transfer) => isWatchedBy(lease, transfer),
    });
  }

  async function write(lease: ChainLease, written: Written): Promise<boolean> {
    const { cursor } = lease;
    const { watchedXid = cursor.watchedXid, head, ...findings } = written;
    const place = { chainId, leader, cursor, watchedXid, head, now: clock.now() };
    const found = await writeStep(pool, { ...place, ...findings });
    if (found === undefined) {
      holder.drop();
      return false;
    }
    lease.cursor = { ...cursor, head, watchedXid };
    if (found > 0) {
      foundTotal.inc({ chain: chainId }, found);
      options.onFound();
    }
    return true;
  }

  const requests = createRequests(options, getRange);
  return {
    ...options,
    ...holder,
    ...requests,
    leader,
    getTokens,
    getRange,
    find,
    write,
  };
}

/** Holds the lease on the cursor of the chain. */
function createLeaseHolder(
  { chain: { chainId }, pool, clock, log }: FollowerOptions,
  leader: string,
): Pick<Session, "renew" | "noteTip" | "getLease" | "drop" | "release"> {
  /** As it was when this process took the lease. */
  let held: Cursor | undefined;
  let chainLease: ChainLease | undefined;
  let isDropped = false;
  let tip: SeenTip | undefined;

  // Renewed beside the steps, because a step may take longer than the lease while a provider is slow.
  async function renew(): Promise<boolean> {
    const cursor = await leaseCursor(pool, { chainId, leader, leaseMs: LEASE_MS, tip });
    if (cursor !== undefined && cursor.epoch === held?.epoch) return false;
    held = cursor;
    chainLease = undefined;
    return cursor !== undefined;
  }

  function noteTip(number: number) {
    tip = { number, at: clock.now() };
  }

  async function getLease(): Promise<ChainLease | undefined> {
    if (isDropped) {
      isDropped = false;
      await renew();
    }
    const cursor = held;
    if (chainLease !== undefined || cursor === undefined) return chainLease;
    const loaded = await loadChainLease(pool, chainId, cursor);
    if (held !== cursor) return undefined;
    log.info({ chainId, head: cursor.head?.number }, "this process follows the chain");
    chainLease = loaded;
    return loaded;
  }

  function drop() {
    held = undefined;
    chainLease = undefined;
    isDropped = true;
  }

  async function release() {
    await chainLease?.prefetched?.scan.catch(() => undefined);
    await chainLease?.searching;
    held = undefined;
    chainLease = undefined;
    await releaseCursor(pool, { chainId, leader });
  }

  return { renew, noteTip, getLease, drop, release };
}

function createRequests(
  { chain: { chainId }, providers, log }: FollowerOptions,
  getRange: Session["getRange"],
): Pick<Session, "request" | "requestFromOther"> {
  async function tryReaders<T>(readers: readonly Reader[], act: Act<T>): Promise<T | undefined> {
    for (const reader of readers) {
      try {
        const result = await act(
          reader,
          readers.filter((other) => other !== reader),
        );
        if (result !== undefined) return result;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        scansFailedTotal.inc({ chain: chainId, kind: error.fault });
        log.debug({ chainId, err: error }, "a provider could not be followed");
        if (MADE_BY_WIDTH.has(error.fault)) getRange(reader).refused(error.blocksMax);
      }
    }
    return undefined;
  }

  return {
    request: async (act) => tryReaders(await providers.readers(), act),
    requestFromOther: async (act) => {
      const [first, ...others] = await providers.readers();
      return tryReaders(first === undefined ? [] : [...others, first], act);
    },
  };
}

function createRanges(): (reader: Reader) => Range {
  const ranges = new WeakMap<Reader, Range>();
  return (reader) => {
    const range = ranges.get(reader) ?? createRange();
    ranges.set(reader, range);
    return range;
  };
}
