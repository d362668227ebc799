import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { route } from "../../pipeline/route.ts";
import { PAY_ID } from "../example-values.ts";
import { getPage, renderPage, toPeriod } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { assignTransfer } from "./assign.ts";
import { assignment, transferFilters } from "./request.ts";
import { arrivedTransfer, assignedTransfer, renderArrived } from "./response.ts";

const SEVERAL_FIT =
  "several_fit: transfers fit several payments; depositAddresses of the project gives each payment its own address";

const transfers = { auth: "secret", tag: "Transfers", limit: "standard" } as const;

export const listTransfersRoute = route({
  ...transfers,
  scope: "payments:read",
  summary: "List transfers to your addresses, newest first",
  query: transferFilters,
  response: listShape("TransferList", arrivedTransfer),
  success: 200,
  handle: async (call) => {
    const { unmatched, chainId, txHash, from, currency, state } = call.query;
    const { createdFrom, createdTo } = toPeriod(call.query);
    const answer = await call.services.chains.listTransfers({
      page: getPage(call.query),
      unmatched,
      chainId: chainId === undefined ? undefined : BigInt(chainId),
      txHash,
      sender: from,
      currency,
      status: state,
      minedFrom: createdFrom,
      minedTo: createdTo,
    });
    if (answer.transfers.some(({ reason }) => reason === "several_fit")) {
      call.reply("X-Service-Warning", SEVERAL_FIT);
    }
    return renderPage(call, answer, answer.transfers.map(renderArrived));
  },
});

export const assignTransferRoute = route({
  ...transfers,
  id: { prefix: "tr", noun: "Transfer" },
  scope: "payments:write",
  needs: { refundId: "refunds:write" },
  summary: "Assign a transfer to a payment or refund",
  example: { request: { paymentId: PAY_ID } },
  body: assignment,
  response: assignedTransfer,
  success: 200,
  failures: [
    "payment_not_found",
    "refund_not_found",
    "transfer_mismatch",
    "tx_hash_used",
    "payment_confirmed",
    "payment_status_invalid",
    "payment_attempts_exhausted",
    "refund_status_invalid",
    "refund_transactions_exhausted",
    "refund_service_signed",
    "state_contended",
  ],
  handle: (call, deps) => forwardOnce(deps, call, { write: () => assignTransfer(call, deps) }),
});
