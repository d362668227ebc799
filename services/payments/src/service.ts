import type { PaymentsService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { createPayments } from "./operations/create-payments.ts";
import { getPayments } from "./operations/get-payments.ts";
import { getTimelines } from "./operations/get-timelines.ts";
import { type Answer, toResult } from "./operations/list.ts";
import { listPayments } from "./operations/list-payments.ts";
import { refundPayment } from "./operations/refund-payment.ts";
import { submitTransactions } from "./operations/submit-transactions.ts";

const results = (answers: Answer[]) => ({ results: answers.map(toResult) });

/** The whole surface of the service: each line names an operation. */
export const paymentsService = (deps: Deps): Handlers<typeof PaymentsService> => ({
  batchCreatePayments: async ({ requests }) => results(await createPayments(deps, requests)),
  batchGetPayments: async ({ requests }) => results(await getPayments(deps, requests)),
  batchSubmitTransactions: async ({ requests }) =>
    results(await submitTransactions(deps, requests)),
  listPayments: (request) => listPayments(deps, request),
  batchGetTimelines: (request) => getTimelines(deps, request),
  refundPayment: (request) => refundPayment(deps, request),
});
