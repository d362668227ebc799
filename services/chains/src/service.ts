import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ChainsService, ListChainsResponseSchema } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import { toChainId } from "@pay/values";
import type { Deps } from "./deps.ts";
import { toChain } from "./messages.ts";
import { cancelIntent } from "./operations/cancel-intent.ts";
import { checkRecipient } from "./operations/check-recipient.ts";
import { checkRefund } from "./operations/check-refund.ts";
import { checkSignature } from "./operations/check-signature.ts";
import { countUnusedTransfers } from "./operations/count-unused-transfers.ts";
import { explainPayment } from "./operations/explain-payment.ts";
import { findAuthorization } from "./operations/find-authorization.ts";
import { getBalances } from "./operations/get-balances.ts";
import { getBook, getBookProgress, listBooks, listOpenBooks } from "./operations/list-books.ts";
import { listHealth } from "./operations/list-health.ts";
import { listMovements } from "./operations/list-movements.ts";
import {
  getTransfer,
  getTransfers,
  listTransfers,
  listUndecidedTransfers,
} from "./operations/list-transfers.ts";
import { recheckDeposit } from "./operations/recheck-deposit.ts";
import { getAuthorization, submitAuthorization } from "./operations/submit-authorization.ts";

/** The whole surface of the service: each line names an operation. */
export function chainsService(deps: Deps): Handlers<typeof ChainsService> {
  return {
    listChains: () => listChains(deps),
    countUnusedTransfers: (request) => countUnusedTransfers(deps, request),
    listMovements: (request) => listMovements(deps, request),
    listBooks: (request) => listBooks(deps, request),
    listOpenBooks: (request) => listOpenBooks(deps, request),
    getBook: (request) => getBook(deps, request),
    getBookProgress: (request) => getBookProgress(deps, request),
    cancelIntent: (request) => cancelIntent(deps, request),
    submitAuthorization: (request) => submitAuthorization(deps, request),
    getAuthorization: (request) => getAuthorization(deps, request),
    findAuthorization: (request) => findAuthorization(deps, request),
    checkRecipient: (request) => checkRecipient(deps, request),
    checkRefund: (request) => checkRefund(deps, request),
    checkSignature: (request) => checkSignature(deps, request),
    batchGetTransfers: (request) => getTransfers(deps, request),
    listTransfers: (request, context) => listTransfers(deps, request, context),
    listUndecidedTransfers: (request, context) => listUndecidedTransfers(deps, request, context),
    getTransfer: (request) => getTransfer(deps, request),
    explainPayment: (request) => explainPayment(deps, request),
    listHealth: (request) => listHealth(deps, request),
    batchGetBalances: (request) => getBalances(deps, request),
    recheckDeposit: (request) => recheckDeposit(deps, request),
  };
}

async function listChains({
  catalog,
  sponsors,
}: Deps): Promise<MessageInitShape<typeof ListChainsResponseSchema>> {
  return {
    chains: (await catalog.list()).map((offered) =>
      toChain(offered, sponsors.get(toChainId(offered.chain.chain_id))?.address),
    ),
  };
}
