import type { RefundsService, SettlementsService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { cancelRefund } from "./operations/cancel-refund.ts";
import { checkRefundable } from "./operations/check-refundable.ts";
import { createDeclaredRefund } from "./operations/create-declared-refund.ts";
import { createRefund } from "./operations/create-refund.ts";
import { createSettlement } from "./operations/create-settlement.ts";
import {
  createDestination,
  deleteDestination,
  listDestinations,
} from "./operations/destinations.ts";
import { listWallets } from "./operations/list-wallets.ts";
import {
  approveSettlement,
  rejectSettlement,
  submitSettlementTransaction,
} from "./operations/move-settlement.ts";
import { batchListRefunds, getRefund, listRefunds } from "./operations/read-refunds.ts";
import { getSettlement, listSettlements } from "./operations/read-settlements.ts";
import { setRefundDestination } from "./operations/set-refund-destination.ts";
import { submitRefundTransaction } from "./operations/submit-refund-transaction.ts";

/** The operations of each rpc. */
export function refundsService(deps: Deps): Handlers<typeof RefundsService> {
  return {
    createRefund: (request, context) => createRefund(deps, request, context),
    createDeclaredRefund: (request, context) => createDeclaredRefund(deps, request, context),
    getRefund: (request) => getRefund(deps, request),
    listRefunds: (request, context) => listRefunds(deps, request, context),
    checkRefundable: (request, context) => checkRefundable(deps, request, context),
    batchListRefunds: (request) => batchListRefunds(deps, request),
    submitRefundTransaction: (request) => submitRefundTransaction(deps, request),
    setRefundDestination: (request) => setRefundDestination(deps, request),
    cancelRefund: (request) => cancelRefund(deps, request),
  };
}

export function settlementsService(deps: Deps): Handlers<typeof SettlementsService> {
  return {
    createSettlement: (request) => createSettlement(deps, request),
    getSettlement: (request) => getSettlement(deps, request),
    listSettlements: (request, context) => listSettlements(deps, request, context),
    approveSettlement: (request) => approveSettlement(deps, request),
    rejectSettlement: (request) => rejectSettlement(deps, request),
    submitSettlementTransaction: (request) => submitSettlementTransaction(deps, request),
    createDestination: (request) => createDestination(deps, request),
    listDestinations: (request) => listDestinations(deps, request),
    deleteDestination: (request) => deleteDestination(deps, request),
    listWallets: (request) => listWallets(deps, request),
  };
}
