import type { Lists } from "@pay/database";
import type { Clock, Log } from "@pay/process";
import type { Address, ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { Catalog } from "./catalog/catalog.ts";
import type { FinalityPolicy } from "./catalog/domain/finality.ts";
import type { PrismaClient } from "./generated/prisma/client.ts";
import type { Sponsor } from "./payouts/signer.ts";
import type { Providers } from "./providers/providers.ts";
import type { Ask } from "./screening/ask.ts";
import type { Codes } from "./verification/contract-codes.ts";
import type { Signatures } from "./verification/signatures.ts";

/** The parts that all operations use; built once, in start.ts. */
export interface Deps {
  pool: Pool;
  clock: Clock;
  log: Log;
  relay: { wake(): void };
  lists: Lists;
  prisma: PrismaClient;
  catalog: Catalog;
  /** Undefined for a chain that is configured no longer. */
  getFinality(chainId: ChainId): FinalityPolicy | undefined;
  /** The same. */
  getProviders(
    chainId: ChainId,
  ): Pick<Providers, "answering" | "configured" | "readers" | "allReaders"> | undefined;
  /** Wallets that pay the gas of payers. */
  sponsors: ReadonlyMap<ChainId, Sponsor>;
  /** To be called when there is something new to send. */
  wakeSending(): void;
  ask: Ask;
  /** To be called when a wallet was screened. */
  onScreened(): void;
  codes: Codes;
  signatures: Signatures;
  /** Tokens that keep a part of each transfer, by chain id. */
  feeTokens: ReadonlyMap<ChainId, ReadonlySet<Address>>;
  /** Digests of the codes of contracts that are wallets of people. */
  walletCodes: ReadonlySet<string>;
}
