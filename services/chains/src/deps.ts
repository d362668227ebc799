import type { Pool } from "pg";
import type { Catalog } from "./catalog/catalog.ts";
import type { FinalityPolicy } from "./domain/finality.ts";
import type { PrismaClient } from "./generated/prisma/client.ts";

/** What the operations work with; built once, in start.ts. */
export interface Deps {
  pool: Pool;
  prisma: PrismaClient;
  catalog: Catalog;
  /** Undefined for a chain that is configured no longer. */
  finalityOf(chainId: number): FinalityPolicy | undefined;
  /** Of a listed currency. */
  decimalsOf(chainId: number, currency: string): number;
}
