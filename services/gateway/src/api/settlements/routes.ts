import { Failure } from "@pay/failures";
import type { Settlement } from "@pay/proto";
import { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { isInSameHands } from "../../keys/storage.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { TX_HASH } from "../example-values.ts";
import * as field from "../fields.ts";
import { renderPage } from "../page.ts";
import { listShape, requireField } from "../response-fields.ts";
import {
  settlementCreation,
  settlementExpansion,
  settlementFilters,
  toFilter,
  toSettlement,
} from "./request.ts";
import { renderSettlement, settlementShape } from "./response.ts";

const settlements = { auth: "secret", tag: "Settlements", limit: "standard" } as const;
const SETTLEMENT = { prefix: "stl", noun: "Settlement" } as const;
/** As another key than the requester's has approved it. */
const APPROVED = {
  status: "approved",
  approvedBy: "key_K2xKcW7hRz9L4mYb1fJtQv8s",
  approvedAt: "2026-02-01T09:00:00.000Z",
};
const moving = { ...settlements, id: SETTLEMENT, response: settlementShape, success: 200 } as const;

export const createSettlementRoute = route({
  ...settlements,
  scope: "settlements:write",
  summary: "Request a settlement of collected funds to an address of the address book",
  audit: {
    ofKeys: true,
    values: ["chainId", "currency", "amount", "sourceAddress", "destinationAddress"],
  },
  example: { request: { amount: "12.50" } },
  query: settlementExpansion,
  body: settlementCreation,
  response: settlementShape,
  success: 201,
  failures: [
    "settlement_amount_too_large",
    "settlement_nothing_left",
    "settlement_uncovered",
    "settlement_destination_unknown",
    "settlement_destination_pending",
  ],
  handle: async (call) => {
    const { body, caller, query, services } = call;
    const idempotency = call.idempotency();
    const wanted = { ...toSettlement(body), requestedBy: caller.actor, idempotency };
    const answer = await services.settlements.createSettlement({ amount: undefined, ...wanted });
    call.noteReplay(answer);
    return renderSettlement(requireField(answer.settlement), query.expand);
  },
});

export const readSettlementRoute = route({
  ...moving,
  scope: "settlements:read",
  summary: "Read a settlement",
  query: settlementExpansion,
  handle: async ({ params, query, services }) => {
    const { settlement } = await services.settlements.getSettlement({ id: params.id });
    return renderSettlement(requireField(settlement), query.expand);
  },
});

export const listSettlementsRoute = route({
  ...settlements,
  scope: "settlements:read",
  summary: "List settlements, newest first",
  query: settlementFilters,
  response: listShape("SettlementList", settlementShape),
  success: 200,
  handle: async (call) => {
    const answer = await call.services.settlements.listSettlements(toFilter(call.query));
    const { expand } = call.query;
    const items = answer.settlements.map((settlement) => renderSettlement(settlement, expand));
    return renderPage(call, answer, items);
  },
});

/**
 * A move that does no harm when it is made twice. What a key may not do, another one may, so that refusal is not
 * kept.
 */
function moves<B>(
  move: (call: Call<unknown, B>) => Promise<{ settlement?: Settlement | undefined }>,
  permit?: (call: Call<unknown, B>, deps: Deps) => Promise<void>,
) {
  return (call: Call<unknown, B>, deps: Deps) =>
    forwardOnce(deps, call, {
      permit: permit && (() => permit(call, deps)),
      write: async () => renderSettlement(requireField((await move(call)).settlement)),
    });
}

/** A key that replaces another one is in the same hands, and so are a member and the keys that the member made. */
async function refuseOwnMoney(
  { params: { id }, caller: { actor, projectId }, services }: Call<unknown, unknown>,
  { pool }: Deps,
): Promise<void> {
  const answer = await services.settlements.getSettlement({ id, forApproval: true });
  const { requestedBy } = requireField(answer.settlement);
  if (await isInSameHands(pool, projectId, [requestedBy, actor])) {
    throw new Failure(
      "settlement_own_request",
      "A settlement must be approved with another key than the one that requested it",
    );
  }
  const addedBy = answer.destinationCreatedBy;
  if (addedBy !== undefined && (await isInSameHands(pool, projectId, [addedBy, actor]))) {
    throw new Failure(
      "settlement_own_destination",
      "A settlement must be approved with another key than the one that added its destination",
    );
  }
}

export const approveSettlementRoute = route({
  ...moving,
  scope: "settlements:approve",
  confirmed: true,
  summary: "Approve a settlement that another key requested",
  audit: { ofKeys: true },
  example: { response: APPROVED },
  failures: [
    "settlement_own_request",
    "settlement_own_destination",
    "settlement_status_invalid",
    "settlement_uncovered",
    "settlement_destination_unknown",
    "settlement_destination_pending",
    "state_contended",
  ],
  handle: moves(
    ({ params: { id }, caller, services }) =>
      services.settlements.approveSettlement({ id, approvedBy: caller.actor }),
    refuseOwnMoney,
  ),
});

export const rejectSettlementRoute = route({
  ...moving,
  scope: "settlements:approve",
  summary: "Reject a settlement that waits for approval",
  audit: { ofKeys: true },
  example: { response: { status: "failed", failureReason: "rejected" } },
  failures: ["settlement_status_invalid", "state_contended"],
  handle: moves(({ params, services }) => services.settlements.rejectSettlement({ id: params.id })),
});

export const submitSettlementTransactionRoute = route({
  ...moving,
  scope: "settlements:write",
  summary: "Submit the transaction hash of an approved settlement",
  audit: { ofKeys: true, values: ["txHash"] },
  example: { response: { ...APPROVED, txHash: TX_HASH } },
  body: z.object({ txHash: field.txHash() }),
  failures: [
    "settlement_status_invalid",
    "settlement_transactions_exhausted",
    "settlement_service_signed",
    "state_contended",
  ],
  handle: moves(({ body, params, services }: Call<unknown, { txHash: string }>) =>
    services.settlements.submitSettlementTransaction({ id: params.id, txHash: body.txHash }),
  ),
});
