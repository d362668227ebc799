// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Audit } from "./audit.ts";
import type { Auth } from "./auth.ts";
import type { Balances } from "./balances.ts";
import type { Books } from "./books.ts";
import type { Chains } from "./chains.ts";
import type { Customers } from "./customers.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Events } from "./events.ts";
import type { Members } from "./members.ts";
import type { Needs } from "./needs.ts";
import type { Payments } from "./payments.ts";
import type { Projects } from "./projects.ts";
import type { Refunds } from "./refunds.ts";
import type { RequestLogs } from "./request-logs.ts";
import type { Roles } from "./roles.ts";
import type { Search } from "./search.ts";
import type { SettlementDestinations } from "./settlement-destinations.ts";
import type { Settlements } from "./settlements.ts";
import type { Summary } from "./summary.ts";
import type { Tokens } from "./tokens.ts";
import type { Transfers } from "./transfers.ts";
import type { WebhookEndpoints } from "./webhook-endpoints.ts";
import type { X402 } from "./x402.ts";

/** The version of the interface that these types describe. */
export const VERSION = "2026-11-21";

export interface Resources {
  readonly payments: Payments;
  readonly customers: Customers;
  readonly refunds: Refunds;
  readonly settlements: Settlements;
  readonly settlementDestinations: SettlementDestinations;
  readonly balances: Balances;
  readonly books: Books;
  readonly needs: Needs;
  readonly summary: Summary;
  readonly search: Search;
  readonly transfers: Transfers;
  readonly chains: Chains;
  readonly tokens: Tokens;
  readonly projects: Projects;
  readonly members: Members;
  readonly roles: Roles;
  readonly audit: Audit;
  readonly requestLogs: RequestLogs;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly x402: X402;
  readonly auth: Auth;
}

/** Method, path, and what distinguishes the call. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  "payments.create": "POST /v1/payments keyed body query",
  "payments.list": "GET /v1/payments query walked",
  "payments.get": "GET /v1/payments/{id} query",
  "payments.confirm": "POST /v1/payments/{id}/confirm publishable keyed body",
  "payments.payer": "POST /v1/payments/{id}/payer publishable keyed body",
  "payments.authorize": "POST /v1/payments/{id}/authorize publishable keyed body",
  "payments.extend": "POST /v1/payments/{id}/extend publishable keyed body",
  "payments.handoff": "POST /v1/payments/{id}/handoff publishable keyed body",
  "payments.status": "GET /v1/payments/{id}/status publishable",
  "payments.x402.get": "GET /v1/payments/{id}/x402 publishable query",
  "payments.x402.create": "POST /v1/payments/{id}/x402 publishable keyed query",
  "payments.explain": "GET /v1/payments/{id}/explain",
  "payments.sweep": "GET /v1/payments/{id}/sweep query",
  "payments.recheck": "POST /v1/payments/{id}/recheck keyed",
  "payments.transaction": "POST /v1/payments/{id}/transaction keyed body",
  "payments.cancel": "POST /v1/payments/{id}/cancel keyed",
  "payments.resolve": "POST /v1/payments/{id}/resolve keyed body",
  "payments.refund": "POST /v1/payments/{id}/refund keyed",
  "customers.get": "GET /v1/customers/{id} query",
  "customers.update": "PUT /v1/customers/{id} body",
  "customers.delete": "DELETE /v1/customers/{id}",
  "customers.list": "GET /v1/customers query walked",
  "customers.create": "POST /v1/customers keyed body",
  "refunds.create": "POST /v1/refunds keyed body query",
  "refunds.list": "GET /v1/refunds query walked",
  "refunds.get": "GET /v1/refunds/{id} query",
  "refunds.transaction": "POST /v1/refunds/{id}/transaction keyed body",
  "refunds.destination": "POST /v1/refunds/{id}/destination keyed body",
  "refunds.cancel": "POST /v1/refunds/{id}/cancel keyed",
  "settlements.create": "POST /v1/settlements keyed body query",
  "settlements.list": "GET /v1/settlements query walked",
  "settlements.get": "GET /v1/settlements/{id} query",
  "settlements.approve": "POST /v1/settlements/{id}/approve keyed",
  "settlements.reject": "POST /v1/settlements/{id}/reject keyed",
  "settlements.transaction": "POST /v1/settlements/{id}/transaction keyed body",
  "settlementDestinations.create": "POST /v1/settlement-destinations keyed body",
  "settlementDestinations.list": "GET /v1/settlement-destinations query walked",
  "settlementDestinations.delete": "DELETE /v1/settlement-destinations/{id}",
  "balances.list": "GET /v1/balances query walked",
  "books.list": "GET /v1/books",
  "books.get": "GET /v1/books/{month} query walked",
  "needs.list": "GET /v1/needs query walked",
  "needs.update": "POST /v1/needs/{id} keyed body",
  "summary.get": "GET /v1/summary query",
  "search.list": "GET /v1/search query",
  "transfers.list": "GET /v1/transfers query walked",
  "transfers.assign": "POST /v1/transfers/{id}/assign keyed body",
  "chains.list": "GET /v1/chains publishable",
  "chains.health": "GET /v1/chains/health",
  "chains.tokens.list": "GET /v1/chains/{chainId}/tokens publishable query",
  "tokens.list": "GET /v1/tokens publishable",
  "projects.get": "GET /v1/projects/me query",
  "projects.update": "PUT /v1/projects/me keyed body",
  "projects.keys.create": "POST /v1/projects/me/keys keyed body",
  "projects.keys.list": "GET /v1/projects/me/keys query walked",
  "projects.keys.delete": "DELETE /v1/projects/me/keys/{id}",
  "projects.keys.roll": "POST /v1/projects/me/keys/{id}/roll keyed body",
  "members.list": "GET /v1/members",
  "members.create": "POST /v1/members keyed body",
  "members.update": "PUT /v1/members/{id} body",
  "members.delete": "DELETE /v1/members/{id}",
  "roles.update": "PUT /v1/roles/{name} body",
  "audit.list": "GET /v1/audit query walked",
  "requestLogs.list": "GET /v1/request-logs query walked",
  "webhookEndpoints.create": "POST /v1/webhook-endpoints keyed body",
  "webhookEndpoints.list": "GET /v1/webhook-endpoints query walked",
  "webhookEndpoints.get": "GET /v1/webhook-endpoints/{id}",
  "webhookEndpoints.update": "PUT /v1/webhook-endpoints/{id} keyed body",
  "webhookEndpoints.delete": "DELETE /v1/webhook-endpoints/{id}",
  "webhookEndpoints.rotateSecret": "POST /v1/webhook-endpoints/{id}/rotate-secret keyed body",
  "webhookEndpoints.activateSecret": "POST /v1/webhook-endpoints/{id}/activate-secret keyed",
  "webhookEndpoints.ping": "POST /v1/webhook-endpoints/{id}/ping keyed",
  "webhookEndpoints.recover": "POST /v1/webhook-endpoints/{id}/recover keyed body",
  "webhookEndpoints.changes.list": "GET /v1/webhook-endpoints/{id}/changes query",
  "webhookEndpoints.deliveries.list": "GET /v1/webhook-endpoints/{id}/deliveries query walked",
  "webhookEndpoints.deliveries.get": "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}",
  "webhookEndpoints.deliveries.redeliver":
    "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver keyed",
  "deliveries.list": "GET /v1/deliveries query walked",
  "deliveries.health": "GET /v1/deliveries/health",
  "events.list": "GET /v1/events query walked",
  "events.stream": "GET /v1/events/stream query walked",
  "x402.supported": "GET /v1/x402/supported",
  "x402.verify": "POST /v1/x402/verify keyed body",
  "x402.settle": "POST /v1/x402/settle keyed body",
  "x402.settlements.get": "GET /v1/x402/settlements/{chainId}/{asset}/{payer}/{nonce}",
  "auth.sso": "POST /v1/auth/sso keyed body",
  "auth.sessions.revoke": "POST /v1/auth/sessions/revoke keyed body",
};
