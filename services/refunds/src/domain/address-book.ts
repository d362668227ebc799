// The address book. An entry is usable after a delay only, so that a stolen key cannot add an address and empty a
// wallet before the merchant notices.
import { Failure } from "@pay/failures";
import { checksumAddress, newId, parseAddress, ZERO_ADDRESS } from "@pay/values";
import type { FindDestinationRow } from "../generated/sql.ts";

/** A row of the table. */
export type Destination = FindDestinationRow;

/** The project and mode that a record belongs to. */
export interface Owner {
  projectId: string;
  mode: number;
}

export const DESTINATIONS_MAX = 1_000;
const LABEL_MAX = 100;

export interface DestinationRequest {
  chainId: bigint;
  address: string;
  label?: string | undefined;
  createdBy: string;
}

export function newDestination(
  tenant: Owner,
  { chainId, address, label, createdBy }: DestinationRequest,
  { now, delayMs }: { now: Date; delayMs: number },
): Destination | Failure {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed === ZERO_ADDRESS) {
    return new Failure("field_invalid", "address must be a valid address");
  }
  if (label !== undefined && [...label].length > LABEL_MAX) {
    return new Failure("field_invalid", `label must be at most ${LABEL_MAX} characters`);
  }
  return {
    id: newId("dst", now.getTime()),
    project_id: tenant.projectId,
    mode: tenant.mode,
    chain_id: chainId,
    address: checksumAddress(parsed),
    label: label ?? null,
    created_by: createdBy,
    created_at: now,
    usable_at: new Date(now.getTime() + delayMs),
  };
}

/** One stolen key must not both add an address and send money there. */
export function checkApprover(
  entry: Destination | undefined,
  approvedBy: string | null,
): Failure | undefined {
  return entry?.created_by === approvedBy
    ? new Failure(
        "settlement_own_destination",
        "A settlement must be approved with another key than the one that added its destination",
      )
    : undefined;
}

/** The failure of money to this entry now; undefined where it may go there. */
export function checkUsable(entry: Destination | undefined, now: Date): Failure | undefined {
  if (entry === undefined) {
    return new Failure(
      "settlement_destination_unknown",
      "destinationAddress is not in the address book",
    );
  }
  return entry.usable_at <= now
    ? undefined
    : new Failure(
        "settlement_destination_pending",
        `destinationAddress can be used from ${entry.usable_at.toISOString()} on`,
      );
}
