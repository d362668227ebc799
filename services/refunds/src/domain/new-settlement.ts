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
import { UNMOVED } from "./outgoing.ts";
import type { Settlement } from "./settlement.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";
import { computeSettlement, type Wallet } from "./wallet.ts";

/** The request of a merchant as columns; null where it has no value. */
export type RequestColumns = Omit<MessageColumns<CreateSettlementRequest>, "request_id">;

/** Builds the settlement that a merchant requests. */
export function buildSettlement(
  tenant: Owner,
  request: RequestColumns,
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
  const failure =
    checkAddresses(request) ?? checkRequester(request) ?? checkUsable(destination, now);
  if (failure !== undefined) return failure;
  const part = computeSettlement(wallet, request.amount);
  if (part instanceof Failure) return part;
  return {
    ...request,
    id: newId("stl", now.getTime()),
    project_id: tenant.projectId,
    mode: tenant.mode,
    status: "requested",
    amount: part.amount,
    base_amount: part.base,
    decimals: wallet?.decimals ?? 0,
    source_address: checksumAddress(request.source_address),
    destination_address: checksumAddress(request.destination_address),
    created_at: now,
    approved_by: null,
    approved_at: null,
    service_signed: isServiceSigned({
      ...tenant,
      chainId: toChainId(request.chain_id),
      address: toAddress(request.source_address),
    }),
    ...UNMOVED,
  };
}

function checkAddresses(request: RequestColumns): Failure | undefined {
  const { source_address: sourceAddress, destination_address: destinationAddress } = request;
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
  return destination === toCurrency(request.currency)
    ? new Failure("field_invalid", "destinationAddress must not be the token contract")
    : undefined;
}

function checkRequester({ requested_by }: RequestColumns): Failure | undefined {
  return requested_by === "" ? new Failure("field_invalid", "requestedBy is required") : undefined;
}
