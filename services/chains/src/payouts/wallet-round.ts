// The context of sending, and of one round of a wallet.
import type { Clock, Log } from "@pay/process";
import type { Currency } from "@pay/values";
import type { Pool } from "pg";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import type { Heights } from "../catalog/domain/finality.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import type { Signer } from "./signer.ts";

export interface Sending {
  chain: ConfiguredChain;
  providers: Providers;
  readHeights(reader: Reader): Promise<Heights>;
  /** Undefined for a token that is not listed. */
  getDecimals(currency: Currency): number | undefined;
  pool: Pool;
  prisma: PrismaClient;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
  /** Called when a transaction was mined, so that it is verified at once. */
  onMined(): void;
  /** Called when an event was written. */
  onWritten(): void;
}

/** One wallet's part of a round, with the providers that answer now. */
export interface WalletRound extends Sending {
  signer: Signer;
  readers: readonly [Reader, ...Reader[]];
}

/** Short, because nothing breaks where two processes have the same intent in hand. */
export const LEASE_MS = 5_000;
