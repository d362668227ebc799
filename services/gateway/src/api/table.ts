// Everything the REST interface can do, the busiest first.
import { listRoutes, type Route } from "../pipeline/route.ts";
import * as audit from "./audit/routes.ts";
import * as balances from "./balances/routes.ts";
import * as books from "./books/routes.ts";
import * as chains from "./chains/routes.ts";
import * as customers from "./customers/routes.ts";
import * as events from "./events/routes.ts";
import * as keys from "./keys/routes.ts";
import * as members from "./members/routes.ts";
import * as needs from "./needs/routes.ts";
import { readDocumentRoute } from "./openapi/routes.ts";
import * as shoppers from "./payments/checkout-routes.ts";
import * as explanations from "./payments/routes.ts";
import * as changes from "./payments/routes.ts";
import * as payments from "./payments/routes.ts";
import * as sweeps from "./payments/sweep.ts";
import * as x402 from "./payments/x402/routes.ts";
import * as projects from "./projects/routes.ts";
import * as refunds from "./refunds/routes.ts";
import * as requestLogs from "./request-logs/routes.ts";
import * as search from "./search/routes.ts";
import * as sessions from "./sessions/routes.ts";
import * as destinations from "./settlement-destinations/routes.ts";
import * as settlements from "./settlements/routes.ts";
import * as statements from "./statements/routes.ts";
import * as summary from "./summary/routes.ts";
import * as transfers from "./transfers/routes.ts";
import * as deliveries from "./webhook-endpoints/delivery-routes.ts";
import * as endpoints from "./webhook-endpoints/routes.ts";
import * as facilitator from "./x402/routes.ts";

const RESOURCES = {
  "POST /v1/payments": payments.createPaymentRoute,
  "GET /v1/payments/{id}": payments.readPaymentRoute,
  "GET /v1/payments": payments.listPaymentsRoute,
  "POST /v1/payments/{id}/confirm": shoppers.confirmPaymentRoute,
  "POST /v1/payments/{id}/payer": shoppers.declarePayerRoute,
  "POST /v1/payments/{id}/authorize": shoppers.authorizePaymentRoute,
  "POST /v1/payments/{id}/extend": shoppers.extendPaymentRoute,
  "POST /v1/payments/{id}/handoff": shoppers.handOffPaymentRoute,
  "GET /v1/payments/{id}/status": shoppers.readStatusRoute,
  "GET /v1/payments/{id}/x402": x402.payByX402Route,
  "POST /v1/payments/{id}/x402": x402.payByX402Route,
  "GET /v1/payments/{id}/explain": explanations.explainPaymentRoute,
  "GET /v1/payments/{id}/sweep": sweeps.sweepPaymentRoute,
  "POST /v1/payments/{id}/recheck": sweeps.recheckPaymentRoute,
  "POST /v1/payments/{id}/transaction": payments.submitTransactionRoute,
  "POST /v1/payments/{id}/cancel": changes.cancelPaymentRoute,
  "POST /v1/payments/{id}/resolve": changes.resolvePaymentRoute,
  "POST /v1/payments/{id}/refund": payments.refundPaymentRoute,
  "GET /v1/customers/{id}": customers.readCustomerRoute,
  "GET /v1/customers": customers.listCustomersRoute,
  "POST /v1/customers": customers.createCustomerRoute,
  "PUT /v1/customers/{id}": customers.changeCustomerRoute,
  "DELETE /v1/customers/{id}": customers.deleteCustomerRoute,
  "POST /v1/refunds": refunds.createRefundRoute,
  "GET /v1/refunds/{id}": refunds.readRefundRoute,
  "GET /v1/refunds": refunds.listRefundsRoute,
  "POST /v1/refunds/{id}/transaction": refunds.submitRefundTransactionRoute,
  "POST /v1/refunds/{id}/destination": refunds.setRefundDestinationRoute,
  "POST /v1/refunds/{id}/cancel": refunds.cancelRefundRoute,
  "POST /v1/settlements": settlements.createSettlementRoute,
  "GET /v1/settlements/{id}": settlements.readSettlementRoute,
  "GET /v1/settlements": settlements.listSettlementsRoute,
  "POST /v1/settlements/{id}/approve": settlements.approveSettlementRoute,
  "POST /v1/settlements/{id}/reject": settlements.rejectSettlementRoute,
  "POST /v1/settlements/{id}/transaction": settlements.submitSettlementTransactionRoute,
  "POST /v1/settlement-destinations": destinations.createDestinationRoute,
  "GET /v1/settlement-destinations": destinations.listDestinationsRoute,
  "DELETE /v1/settlement-destinations/{id}": destinations.deleteDestinationRoute,
  "GET /v1/balances": balances.listBalancesRoute,
  "GET /v1/statements": statements.listStatementRoute,
  "GET /v1/statements/{day}": statements.readStatementRoute,
  "GET /v1/books": books.listMonthsRoute,
  "GET /v1/books/{month}": books.readMonthRoute,
  "GET /v1/needs": needs.listNeedsRoute,
  "POST /v1/needs/{id}": needs.changeNeedRoute,
  "GET /v1/summary": summary.readSummaryRoute,
  "GET /v1/search": search.searchRoute,
  "GET /v1/transfers": transfers.listTransfersRoute,
  "POST /v1/transfers/{id}/assign": transfers.assignTransferRoute,
  "GET /v1/chains": chains.listChainsRoute,
  "GET /v1/chains/health": chains.readHealthRoute,
  "GET /v1/chains/{chainId}/tokens": chains.listChainTokensRoute,
  "GET /v1/tokens": chains.listTokensRoute,
  "GET /v1/projects/me": projects.readProjectRoute,
  "PUT /v1/projects/me": projects.changeProjectRoute,
  "POST /v1/projects/me/keys": keys.createKeyRoute,
  "GET /v1/projects/me/keys": keys.listKeysRoute,
  "DELETE /v1/projects/me/keys/{id}": keys.revokeKeyRoute,
  "POST /v1/projects/me/keys/{id}/roll": keys.rollKeyRoute,
  "GET /v1/members": members.listMembersRoute,
  "POST /v1/members": members.inviteMemberRoute,
  "PUT /v1/members/{id}": members.changeMemberRoute,
  "DELETE /v1/members/{id}": members.removeMemberRoute,
  "PUT /v1/roles/{name}": members.saveRoleRoute,
  "GET /v1/audit": audit.listAuditRoute,
  "GET /v1/request-logs": requestLogs.listRequestLogsRoute,
  "POST /v1/webhook-endpoints": endpoints.createEndpointRoute,
  "GET /v1/webhook-endpoints": endpoints.listEndpointsRoute,
  "GET /v1/webhook-endpoints/{id}": endpoints.readEndpointRoute,
  "PUT /v1/webhook-endpoints/{id}": endpoints.changeEndpointRoute,
  "DELETE /v1/webhook-endpoints/{id}": endpoints.deleteEndpointRoute,
  "POST /v1/webhook-endpoints/{id}/rotate-secret": endpoints.rotateSecretRoute,
  "POST /v1/webhook-endpoints/{id}/activate-secret": endpoints.activateSecretRoute,
  "POST /v1/webhook-endpoints/{id}/ping": deliveries.pingEndpointRoute,
  "POST /v1/webhook-endpoints/{id}/recover": deliveries.recoverEndpointRoute,
  "GET /v1/webhook-endpoints/{id}/changes": deliveries.listChangesRoute,
  "GET /v1/webhook-endpoints/{id}/deliveries": deliveries.listDeliveriesRoute,
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": deliveries.readDeliveryRoute,
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": deliveries.redeliverRoute,
  "GET /v1/deliveries": deliveries.listAllDeliveriesRoute,
  "GET /v1/deliveries/health": deliveries.readDeliveryHealthRoute,
  "GET /v1/events": events.listEventsRoute,
  "GET /v1/events/stream": events.followEventsRoute,
  "GET /v1/x402/supported": facilitator.listSupportedRoute,
  "POST /v1/x402/verify": facilitator.verifyPaymentRoute,
  "POST /v1/x402/settle": facilitator.settlePaymentRoute,
  "GET /v1/x402/settlements/{chainId}/{asset}/{payer}/{nonce}": facilitator.readSettlementRoute,
  "POST /v1/auth/sso": sessions.exchangeTokenRoute,
  "POST /v1/auth/sessions/revoke": sessions.endSessionsRoute,
};

/** For the product's own page, which alone gets the links with codes. */
const OF_THE_CHECKOUT = { "POST /v1/payments/{id}/open": shoppers.openPaymentRoute };

/** What the OpenAPI document describes. */
export const DOCUMENTED = listRoutes(RESOURCES);
const OF_TOOLS = { "GET /v1/openapi.json": readDocumentRoute(DOCUMENTED) };

export const ROUTES: readonly Route[] = [
  ...DOCUMENTED,
  ...listRoutes(OF_THE_CHECKOUT),
  ...listRoutes(OF_TOOLS),
];

/** Method and path. A table with a row for each route does not compile without one. */
export type RouteName =
  | keyof typeof RESOURCES
  | keyof typeof OF_THE_CHECKOUT
  | keyof typeof OF_TOOLS;
