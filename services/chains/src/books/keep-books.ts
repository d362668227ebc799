// Keeps the books of one chain: movements and balances of merchants' wallets up to the final block, and their
// differences from the records. A difference decides nothing; it is a row for an operator.
//
// A round is bounded, and its state is in the database: a process that ends leaves leases that run out, and another one
// reads the same blocks again. A difference counts only where no other provider contradicts it. An account that no
// provider can read is checked alone from then on, so that it delays no other.
import type { Clock, Log } from "@pay/process";
import type { Pool } from "pg";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import { createFinalHeights } from "../following/finalize.ts";
import { bookDifferences, booksChecked } from "../metrics.ts";
import { createRange } from "../providers/domain/range.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError } from "../providers/rpc-error.ts";
import { type Checked, checkAccounts } from "./check-accounts.ts";
import { compareRecords, countDifferences } from "./storage/book-differences.ts";
import {
  findTraced,
  type LeasedAccount,
  leaseAccounts,
  postponeAccounts,
  purgeMovements,
  writeReadings,
} from "./storage/books.ts";

const ACCOUNTS_MAX = 50;
const BLOCKS_MAX = 500;
/** Of one round; the next one goes on. */
const BATCHES_MAX = 40;
const WINDOWS_MAX = 100;
/** Until then the transfers of a final block are recorded, so that it is known which transactions to trace. */
const LAG_MS = 60_000;
/** Longer than reading a batch takes. */
const LEASE_MS = 120_000;
/** For accounts that no provider could answer for. */
const PAUSE_MS = 5_000;
const KEPT_MS = 35 * 24 * 3_600_000;
const PURGED_MAX = 1_000;

export interface BookOptions {
  chain: ConfiguredChain;
  providers: Providers;
  pool: Pool;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}

/** One round. */
export function createBookKeeper(options: BookOptions): () => Promise<void> {
  const { chain, pool, clock, log, stopping } = options;
  const { chainId } = chain;
  const providers = createBookProviders(options);
  let accountsMax = ACCOUNTS_MAX;

  /** Answers false where nothing is left to check. */
  async function checkBatch(final: number): Promise<boolean> {
    const lease = { chainId, height: final, max: accountsMax, leaseMs: LEASE_MS };
    const accounts = await leaseAccounts(pool, lease);
    if (accounts.length === 0) return false;
    const checked = await providers.check(accounts);
    if (checked === undefined) {
      accountsMax = 1;
      await postponeAccounts(pool, accounts, PAUSE_MS);
      const accountIds = accounts.map(({ id }) => id.toString());
      log.warn({ chainId, accountIds }, "no provider could answer for accounts of the books");
      return true;
    }
    accountsMax = ACCOUNTS_MAX;
    await writeReadings(pool, checked.block, checked.readings);
    const before = new Date(clock.now().getTime() - KEPT_MS);
    await purgeMovements(pool, { accounts, before, max: PURGED_MAX });
    return true;
  }

  async function checkAll(): Promise<void> {
    const final = await providers.height();
    if (final === undefined) return;
    for (let batches = 0; batches < BATCHES_MAX && !stopping.aborted; batches++) {
      if (await checkBatch(final)) continue;
      booksChecked.set({ chain: chainId }, clock.now().getTime() / 1_000);
      return;
    }
  }

  return async () => {
    await checkAll();
    for (let windows = 0; windows < WINDOWS_MAX && !stopping.aborted; windows++) {
      if ((await compareRecords(pool, chainId)) !== "more") break;
    }
    const differences = await countDifferences(pool, chainId);
    if (differences > 0) log.error({ chainId, differences }, "the books differ from the records");
    bookDifferences.set({ chain: chainId }, differences);
  };
}

/** The providers of the chain, asked one after the other. */
function createBookProviders({ chain, providers, pool, log }: BookOptions) {
  const { chainId } = chain;
  const finalHeight = createFinalHeights(chain);
  const lag = Math.ceil(LAG_MS / chain.blockTimeMs);
  const range = createRange(BLOCKS_MAX);

  function noteFault(error: unknown) {
    if (!(error instanceof RpcError)) throw error;
    log.debug({ chainId, err: error }, "a provider could not be asked for the books");
    if (error.fault === "too_wide" || error.fault === "too_large") range.refused(error.blocksMax);
  }

  async function readHeight(reader: Reader): Promise<number> {
    // The first block of a chain is final at once.
    return Math.max((await finalHeight(reader)) - lag, 0);
  }

  async function height(): Promise<number | undefined> {
    for (const reader of await providers.readers()) {
      try {
        return await readHeight(reader);
      } catch (error) {
        noteFault(error);
      }
    }
    return undefined;
  }

  async function ask(accounts: readonly LeasedAccount[]): Promise<Checked | undefined> {
    let doubtful: Checked | undefined;
    let answers = 0;
    for (const reader of await providers.readers()) {
      try {
        const checked = await checkAccounts(reader, {
          accounts,
          height: await readHeight(reader),
          blocksMax: range.size,
          traced: (txHashes) => findTraced(pool, chainId, txHashes),
        });
        if (checked.readings.every(({ difference }) => difference === undefined)) return checked;
        doubtful ??= checked;
        answers++;
      } catch (error) {
        noteFault(error);
      }
    }
    // One that does not answer at present may see it otherwise.
    return answers < chain.providerUrls.length ? undefined : doubtful;
  }

  async function check(accounts: readonly LeasedAccount[]): Promise<Checked | undefined> {
    const checked = await ask(accounts);
    if (checked !== undefined) range.succeeded();
    return checked;
  }

  return { height, check };
}
