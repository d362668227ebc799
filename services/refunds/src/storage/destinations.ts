// The address book of a tenant.
import {
  type AllWritten,
  condition,
  getConstraint,
  type Page,
  type PageRequest,
  selectPage,
} from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import { type Address, type ChainId, parseAddress, toChainId } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import { DESTINATIONS_MAX, type Destination } from "../domain/address-book.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import * as sql from "../generated/sql.ts";

true satisfies AllWritten<Exclude<keyof Destination, keyof sql.CreateDestinationDestinations>>;

export async function insertDestination(tx: PoolClient, entry: Destination): Promise<void> {
  try {
    const rowsMax = DESTINATIONS_MAX;
    if ((await sql.createDestination(tx, { destinations: [entry], rowsMax })) === 1) return;
  } catch (error) {
    if (getConstraint(error) !== "settlement_destinations_once") throw error;
    throw new Failure("settlement_destination_exists", "The address book has this address already");
  }
  throw new Failure(
    "settlement_destinations_exhausted",
    `The address book already has ${DESTINATIONS_MAX} addresses`,
  );
}

/** The entry of an address. It is not deleted before the transaction ends. */
export async function findDestination(
  tx: PoolClient,
  tenant: Tenant,
  place: { chainId: ChainId; address: Address },
): Promise<Destination | undefined> {
  const [entry] = await sql.findDestination(tx, { ...tenant, ...place });
  return entry;
}

/** The entry of an address as a merchant wrote it; undefined where the text is none. */
export async function findNamed(
  tx: PoolClient,
  tenant: Tenant,
  { chainId, address: text }: { chainId: bigint; address: string | null },
): Promise<Destination | undefined> {
  const address = text === null ? undefined : parseAddress(text);
  if (address === undefined) return undefined;
  return findDestination(tx, tenant, { chainId: toChainId(chainId), address });
}

export function listDestinations(
  pool: Pool,
  { projectId, mode }: Tenant,
  page: PageRequest,
): Promise<Page<Destination>> {
  return selectPage<Destination>(pool, {
    table: "settlement_destinations",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?::smallint", mode)],
    page,
  });
}

/** Who added the destination of a settlement to the address book; undefined where it has no such entry. */
export async function findDestinationCreator(
  prisma: PrismaClient,
  { projectId, mode }: Tenant,
  { chain_id, destination_address }: Pick<Settlement, "chain_id" | "destination_address">,
): Promise<string | undefined> {
  const where = { project_id: projectId, mode, chain_id, address: destination_address };
  const entry = await prisma.settlementDestination.findFirst({ where });
  return entry?.created_by;
}

/** Returns false when the tenant has no such entry. */
export async function deleteDestination(
  prisma: PrismaClient,
  { projectId, mode }: Tenant,
  id: string,
): Promise<boolean> {
  const where = { project_id: projectId, mode, id };
  return (await prisma.settlementDestination.deleteMany({ where })).count === 1;
}
