// The address book of a tenant.
import {
  bigints,
  condition,
  getConstraint,
  type Page,
  type PageRequest,
  selectPage,
} from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import type { Address, ChainId } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import { DESTINATIONS_MAX, type Destination } from "../domain/address-book.ts";

const INSERT = {
  name: "insert-destination",
  text: `
    insert into settlement_destinations
      (id, project_id, mode, chain_id, address, label, created_by, created_at, usable_at)
    select $1, $2::text, $3::smallint, $4, $5, $6, $7, $8, $9
    where (select count(*) from settlement_destinations where project_id = $2 and mode = $3) < $10`,
};

export async function insertDestination(tx: PoolClient, entry: Destination): Promise<void> {
  const { id, project_id, mode, chain_id, address, label, created_by, created_at, usable_at } =
    entry;
  try {
    const { rowCount } = await tx.query({
      ...INSERT,
      values: [
        id,
        project_id,
        mode,
        chain_id,
        address,
        label,
        created_by,
        created_at,
        usable_at,
        DESTINATIONS_MAX,
      ],
    });
    if (rowCount === 1) return;
  } catch (error) {
    if (getConstraint(error) !== "settlement_destinations_once") throw error;
    throw new Failure("settlement_destination_exists", "The address book has this address already");
  }
  throw new Failure(
    "settlement_destinations_exhausted",
    `The address book already has ${DESTINATIONS_MAX} addresses`,
  );
}

const FIND = {
  name: "find-destination",
  text: `
    select * from settlement_destinations
    where project_id = $1 and mode = $2 and chain_id = $3 and lower(address) = lower($4)
    for key share`,
};

/** The entry of an address. It is not deleted before the transaction ends. */
export async function findDestination(
  tx: PoolClient,
  { projectId, mode }: Tenant,
  { chainId, address }: { chainId: ChainId; address: Address },
): Promise<Destination | undefined> {
  const values = [projectId, mode, chainId, address];
  const { rows } = await tx.query<Destination>({ ...FIND, types: bigints, values });
  return rows[0];
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

const DELETE = {
  name: "delete-destination",
  text: "delete from settlement_destinations where id = $1 and project_id = $2 and mode = $3",
};

/** Returns false when the tenant has no such entry. */
export async function deleteDestination(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...DELETE, values: [id, projectId, mode] });
  return rowCount === 1;
}
