import { Failure } from "@pay/failures";
import {
  addressOf,
  checksumAddress,
  currencyOf,
  newId,
  parseAddress,
  ZERO_ADDRESS,
} from "@pay/values";
import { checkUsable, type Destination, type Owner } from "./address-book.ts";
import type { Settlement } from "./settlement.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";
import { settled, type Wallet } from "./wallet.ts";

/** What a merchant requests. */
export interface SettlementRequest {
  chainId: bigint;
  currency: string;
  amount?: string | undefined;
  sourceAddress: string;
  destinationAddress: string;
  metadataJson?: string | undefined;
  requestedBy: string;
}

/** The settlement that the merchant requests, or why there cannot be one. */
export function requestedSettlement(
  tenant: Owner,
  request: SettlementRequest,
  {
    wallet,
    destination,
    isServiceSigned,
    now,
  }: {
    wallet: Wallet | undefined;
    destination: Destination | undefined;
    isServiceSigned: IsServiceSigned;
    now: Date;
  },
): Settlement | Failure {
  const refused = addressFault(request) ?? requesterFault(request) ?? checkUsable(destination, now);
  if (refused !== undefined) return refused;
  const part = settled(wallet, request.amount);
  if (part instanceof Failure) return part;
  return {
    id: newId("stl", now.getTime()),
    project_id: tenant.projectId,
    mode: tenant.mode,
    status: "requested",
    chain_id: request.chainId,
    currency: request.currency,
    amount: part.amount,
    base_amount: part.base,
    decimals: wallet?.decimals ?? 0,
    source_address: checksumAddress(request.sourceAddress),
    destination_address: checksumAddress(request.destinationAddress),
    tx_hash: null,
    other_hashes: null,
    block_number: null,
    failure_reason: null,
    held_reason: null,
    requested_by: request.requestedBy,
    approved_by: null,
    metadata_json: request.metadataJson ?? null,
    created_at: now,
    approved_at: null,
    completed_at: null,
    version: 1,
    service_signed: isServiceSigned({
      ...tenant,
      chainId: request.chainId,
      address: request.sourceAddress,
    }),
  };
}

function addressFault(request: SettlementRequest): Failure | undefined {
  const { sourceAddress, destinationAddress, currency } = request;
  for (const [name, text] of Object.entries({ sourceAddress, destinationAddress })) {
    const address = parseAddress(text);
    if (address === undefined || address === ZERO_ADDRESS) {
      return new Failure("field_invalid", `${name} must be a valid address`);
    }
  }
  const destination = addressOf(destinationAddress);
  if (destination === addressOf(sourceAddress)) {
    return new Failure("field_invalid", "destinationAddress must not be the wallet that pays");
  }
  // Money sent to the contract of its own token is lost.
  return destination === currencyOf(currency)
    ? new Failure("field_invalid", "destinationAddress must not be the token contract")
    : undefined;
}

function requesterFault({ requestedBy }: SettlementRequest): Failure | undefined {
  return requestedBy === ""
    ? new Failure("field_invalid", "requestedBy must name the requester")
    : undefined;
}
