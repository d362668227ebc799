// What following a chain works with: the lease on its cursor, the providers in order, and the one way to write.
import { randomUUID } from "node:crypto";
import type { Clock, Log } from "@pay/process";
import type { Address } from "@pay/values";
import type { Pool } from "pg";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import { foundTotal, scansFailedTotal, unprovenTotal } from "../metrics.ts";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { createRange, type Range } from "../providers/domain/range.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError, type RpcFault } from "../providers/rpc-error.ts";
import { isWatchedBy, type Leadership, loadLeadership } from "./chain-lease.ts";
import { type Findings, findPaid } from "./find.ts";
import { type Cursor, leaseCursor, releaseCursor } from "./storage/cursors.ts";
import { type StepHead, writeStep } from "./storage/steps.ts";

const LEASE_MS = 3_000;
/** Fewer blocks may be answered where so many were not. */
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
  /** Called when candidates were found, so that they are verified at once. */
  onFound(): void;
}

export interface Session extends FollowerOptions {
  readonly leader: string;
  /** Blocks of the next question for logs to this provider. */
  getRange(reader: Reader): Range;
  /** Tokens whose transfers are read: those that are listed, and those that a payment waits for. */
  getTokens(lead: Leadership): ReadonlySet<Address>;
  /** To be called every second: takes the lease, or keeps it. True where it was taken. */
  renew(): Promise<boolean>;
  /** Undefined while another process leads. */
  lead(): Promise<Leadership | undefined>;
  /** The first answer of a provider; one that fails or has nothing to say is passed over. */
  ask<T>(act: Act<T>): Promise<T | undefined>;
  /** The same, and begins with another provider than the one that is followed. */
  askSecond: Session["ask"];
  find(lead: Leadership, reader: Reader, raw: readonly RawTransfer[]): Promise<Findings>;
  /** False where another process leads by now. */
  write(lead: Leadership, step: Written): Promise<boolean>;
  /** Payments whose proof is gone: they are verified again at once. */
  tookBack(paymentIds: readonly string[]): void;
  /** Another process has written meanwhile: its lease decides anew who leads. */
  lost(): void;
  release(): Promise<void>;
}

type Act<T> = (reader: Reader, others: readonly Reader[]) => Promise<T | undefined>;

export type Written = Findings & { head: StepHead; watchedXid?: bigint };

export function createSession(options: FollowerOptions): Session {
  const { chain, pool, clock, log } = options;
  const { chainId } = chain;
  const leader = randomUUID();
  const getRange = createRanges();
  const lease = createLease(options, leader);

  function getTokens({ awaited }: Leadership) {
    return new Set([...options.tokens().keys(), ...awaited]);
  }

  function find(lead: Leadership, reader: Reader, raw: readonly RawTransfer[]) {
    return findPaid(reader, raw, {
      pool,
      chainId,
      tokens: getTokens(lead),
      now: clock.now(),
      isWatched: (transfer) => isWatchedBy(lead, transfer),
    });
  }

  function tookBack(paymentIds: readonly string[]) {
    if (paymentIds.length === 0) return;
    unprovenTotal.inc({ chain: chainId }, paymentIds.length);
    log.error({ chainId, paymentIds }, "payments lost their proof in a reorganisation");
    options.onFound();
  }

  async function write(lead: Leadership, written: Written): Promise<boolean> {
    const { cursor } = lead;
    const { watchedXid = cursor.watchedXid, head, ...findings } = written;
    const place = { chainId, leader, cursor, watchedXid, head, now: clock.now() };
    const found = await writeStep(pool, { ...place, ...findings });
    if (found === undefined) {
      lease.lost();
      return false;
    }
    lead.cursor = { ...cursor, head, watchedXid };
    if (found > 0) {
      foundTotal.inc({ chain: chainId }, found);
      options.onFound();
    }
    return true;
  }

  const asking = createAsking(options, getRange);
  return {
    ...options,
    ...lease,
    ...asking,
    leader,
    getTokens: getTokens,
    getRange: getRange,
    find,
    write,
    tookBack,
  };
}

/** The lease on the cursor of the chain, and what is led under it. */
function createLease(
  { chain: { chainId }, pool, log }: FollowerOptions,
  leader: string,
): Pick<Session, "renew" | "lead" | "lost" | "release"> {
  /** As it was when this process took the lease. */
  let held: Cursor | undefined;
  let leadership: Leadership | undefined;
  let isLost = false;

  // Renewed beside the steps, because a step may take longer than the lease while a provider is slow.
  async function renew(): Promise<boolean> {
    const cursor = await leaseCursor(pool, { chainId, leader, leaseMs: LEASE_MS });
    if (cursor !== undefined && cursor.epoch === held?.epoch) return false;
    held = cursor;
    leadership = undefined;
    return cursor !== undefined;
  }

  async function lead(): Promise<Leadership | undefined> {
    if (isLost) {
      isLost = false;
      await renew();
    }
    const cursor = held;
    if (leadership !== undefined || cursor === undefined) return leadership;
    const loaded = await loadLeadership(pool, chainId, cursor);
    if (held !== cursor) return undefined;
    log.info({ chainId, head: cursor.head?.number }, "this process follows the chain");
    leadership = loaded;
    return loaded;
  }

  function lost() {
    held = undefined;
    leadership = undefined;
    isLost = true;
  }

  async function release() {
    await leadership?.ahead?.scan.catch(() => undefined);
    held = undefined;
    leadership = undefined;
    await releaseCursor(pool, { chainId, leader });
  }

  return { renew, lead, lost, release };
}

function createAsking(
  { chain: { chainId }, providers, log }: FollowerOptions,
  getRange: Session["getRange"],
): Pick<Session, "ask" | "askSecond"> {
  async function askEach<T>(readers: readonly Reader[], act: Act<T>): Promise<T | undefined> {
    for (const reader of readers) {
      try {
        const answer = await act(
          reader,
          readers.filter((other) => other !== reader),
        );
        if (answer !== undefined) return answer;
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
    ask: async (act) => askEach(await providers.readers(), act),
    askSecond: async (act) => {
      const [first, ...others] = await providers.readers();
      return askEach(first === undefined ? [] : [...others, first], act);
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
