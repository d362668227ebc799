import type { RefundsService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { createRefund } from "./operations/create-refund.ts";
import { getRefund } from "./operations/get-refund.ts";
import { listRefunds } from "./operations/list-refunds.ts";
import { listRefundsOfPayments } from "./operations/list-refunds-of-payments.ts";
import { submitRefundTransaction } from "./operations/submit-refund-transaction.ts";

/** The whole surface of the service: each line names an operation. */
export const refundsService = (deps: Deps): Handlers<typeof RefundsService> => ({
  createRefund: (request, context) => createRefund(deps, request, context),
  getRefund: (request) => getRefund(deps, request),
  listRefunds: (request) => listRefunds(deps, request),
  batchListRefunds: (request) => listRefundsOfPayments(deps, request),
  submitRefundTransaction: (request) => submitRefundTransaction(deps, request),
});
