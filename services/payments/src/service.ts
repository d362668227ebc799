import type { PaymentsService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { authorizePayments } from "./operations/authorize-payments.ts";
import { toResults } from "./operations/batch.ts";
import {
  assignTransfer,
  cancelPayment,
  declarePayer,
  extendPayment,
  resolvePayment,
} from "./operations/change-payment.ts";
import { createPayments } from "./operations/create-payments.ts";
import { findOpenPayments } from "./operations/find-open-payments.ts";
import { getPayments } from "./operations/get-payments.ts";
import { getTimelines } from "./operations/get-timelines.ts";
import { createHandoff, redeemHandoff } from "./operations/hand-off.ts";
import { listActions } from "./operations/list-actions.ts";
import { listPayments } from "./operations/list-payments.ts";
import { listSums } from "./operations/list-sums.ts";
import { listUndecidedPayments } from "./operations/list-undecided-payments.ts";
import { refundPayment } from "./operations/refund-payment.ts";
import { submitTransactions } from "./operations/submit-transactions.ts";

export function paymentsService(deps: Deps): Handlers<typeof PaymentsService> {
  return {
    batchCreatePayments: async ({ requests }) =>
      toResults(deps, requests, await createPayments(deps, requests)),
    batchGetPayments: async ({ requests }, context) =>
      toResults(deps, requests, await getPayments(deps, requests, context)),
    batchOpenPayments: async ({ requests }) =>
      toResults(deps, requests, await authorizePayments(deps, requests)),
    batchSubmitTransactions: async ({ requests }) =>
      toResults(deps, requests, await submitTransactions(deps, requests)),
    findOpenPayments: (request) => findOpenPayments(deps, request),
    listPayments: (request, context) => listPayments(deps, request, context),
    listUndecidedPayments: (request, context) => listUndecidedPayments(deps, request, context),
    listPaymentSums: (request) => listSums(deps, request),
    batchGetTimelines: (request) => getTimelines(deps, request),
    listActions: (request) => listActions(deps, request),
    declarePayer: (request) => declarePayer(deps, request),
    extendPayment: (request) => extendPayment(deps, request),
    createHandoff: (request) => createHandoff(deps, request),
    redeemHandoff: (request) => redeemHandoff(deps, request),
    cancelPayment: (request) => cancelPayment(deps, request),
    resolvePayment: (request) => resolvePayment(deps, request),
    assignTransfer: (request) => assignTransfer(deps, request),
    refundPayment: (request, context) => refundPayment(deps, request, context),
  };
}
