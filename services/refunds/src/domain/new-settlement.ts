import type { MessageColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CreateSettlementRequest } from "@pay/proto";
import {
  checksumAddress,
  newId,
  parseAddress,
  toAddress,
  toChainId,
  toCurrency,
  ZERO_ADDRESS,
} from "@pay/values";
import { checkUsable, type Destination, type Owner } from "./address-book.ts";
import { UNMOVED } from "./hashes.ts";
import type { Settlement } from "./settlement.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";
import { settled, type Wallet } from "./wallet.ts";

/** What a merchant requests, in the columns that store it; null where the request has no value. */
export type Given = Omit<MessageColumns<CreateSettlementRequest>, "request_id">;

/** The settlement that the merchant requests, or why there cannot be one. */
export function requestedSettlement(
  tenant: Owner,
  given: Given,
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
  const refused = addressFault(given) ?? requesterFault(given) ?? checkUsable(destination, now);
  if (refused !== undefined) return refused;
  const part = settled(wallet, given.amount);
  if (part instanceof Failure) return part;
  return {
    ...given,
    id: newId("stl", now.getTime()),
    project_id: tenant.projectId,
    mode: tenant.mode,
    status: "requested",
    amount: part.amount,
    base_amount: part.base,
    decimals: wallet?.decimals ?? 0,
    source_address: checksumAddress(given.source_address),
    destination_address: checksumAddress(given.destination_address),
    created_at: now,
    approved_by: null,
    approved_at: null,
    service_signed: isServiceSigned({
      ...tenant,
      chainId: toChainId(given.chain_id),
      address: toAddress(given.source_address),
    }),
    ...UNMOVED,
  };
}

function addressFault(given: Given): Failure | undefined {
  const { source_address: sourceAddress, destination_address: destinationAddress } = given;
  for (const [name, text] of Object.entries({ sourceAddress, destinationAddress })) {
    const address = parseAddress(text);
    if (address === undefined || address === ZERO_ADDRESS) {
      return new Failure("field_invalid", `${name} must be a valid address`);
    }
  }
  const destination = toAddress(destinationAddress);
  if (destination === toAddress(sourceAddress)) {
    return new Failure("field_invalid", "destinationAddress must not be the wallet that pays");
  }
  // Money sent to the contract of its own token is lost.
  return destination === toCurrency(given.currency)
    ? new Failure("field_invalid", "destinationAddress must not be the token contract")
    : undefined;
}

function requesterFault({ requested_by }: Given): Failure | undefined {
  return requested_by === ""
    ? new Failure("field_invalid", "requestedBy must name the requester")
    : undefined;
}
