// Wallets that the service signs for: the next nonce, the sums of their intents, and whether they are frozen.
import { type Amount, type Currency, sumAmounts, toAmount } from "@pay/values";
import type { Pool } from "pg";
import type { PrismaClient, Signer } from "../../generated/prisma/client.ts";
import {
  findUsedNonces,
  openSigner,
  type SumSignedIntentsRow,
  sumSignedIntents,
} from "../../generated/sql.ts";
import type { Wallet } from "./intents.ts";

/** Sums by currency, in base units. */
type Sums = ReadonlyMap<Currency, Amount>;

export interface SignerState {
  /** Undefined: the nonce is read from the chain. */
  nextNonce: number | undefined;
  /** One more than the highest nonce that an intent has. */
  usedNonces: number;
  isFrozen: boolean;
  /** Signed and not mined. */
  inFlight: { count: number; sums: Sums; cost: Amount };
  /** Signed within the last day. */
  today: Sums;
}

/**
 * The nonce is read first. A signature takes it only where it is still the next one, so that nothing was signed after
 * the sums were read, and they hold.
 */
export async function findSigner(pool: Pool, wallet: Wallet, now: Date): Promise<SignerState> {
  const { chainId, address } = wallet;
  const [signer] = await openSigner(pool, { chainId, address });
  const [nonces] = await findUsedNonces(pool, { chainId, source: address });
  const rows = await sumSignedIntents(pool, { chainId, source: address, now });
  function sums(getSum: (row: SumSignedIntentsRow) => bigint): Sums {
    return new Map(rows.map((row) => [row.currency, toAmount(getSum(row))]));
  }

  return {
    nextNonce: signer?.next_nonce == null ? undefined : Number(signer.next_nonce),
    usedNonces: Number(nonces?.used ?? 0),
    isFrozen: signer?.is_frozen ?? false,
    inFlight: {
      count: rows.reduce((sum, row) => sum + row.count, 0),
      sums: sums((row) => row.in_flight),
      cost: sumAmounts(rows.map((row) => toAmount(row.cost))),
    },
    today: sums((row) => row.today),
  };
}

/** False where it was frozen already. */
export async function freezeSigner(
  prisma: PrismaClient,
  { chainId, address }: Wallet,
  { now, reason }: { now: Date; reason: string },
): Promise<boolean> {
  const { count } = await prisma.signer.updateMany({
    where: { chain_id: BigInt(chainId), address, frozen_at: null },
    data: { frozen_at: now, frozen_reason: reason },
  });
  return count === 1;
}

/** How many wallets of each chain are frozen. */
export async function countFrozen(
  prisma: PrismaClient,
): Promise<{ chain: string; count: number }[]> {
  const rows = await prisma.signer.groupBy({ by: ["chain_id"], _count: { frozen_at: true } });
  return rows.map(({ chain_id, _count }) => ({ chain: `${chain_id}`, count: _count.frozen_at }));
}

export function listSigners(prisma: PrismaClient): Promise<Signer[]> {
  return prisma.signer.findMany({ orderBy: [{ chain_id: "asc" }, { address: "asc" }] });
}

/** The wallet as it was frozen; undefined where it was not. */
export async function unfreezeSigner(
  prisma: PrismaClient,
  { chainId, address }: Wallet,
): Promise<Signer | undefined> {
  const key = { chain_id: BigInt(chainId), address };
  const signer = await prisma.signer.findUnique({ where: { chain_id_address: key } });
  if (signer === null || signer.frozen_at === null) return undefined;
  const { count } = await prisma.signer.updateMany({
    where: { ...key, frozen_at: signer.frozen_at },
    data: { frozen_at: null, frozen_reason: null, next_nonce: null },
  });
  return count === 1 ? signer : undefined;
}
