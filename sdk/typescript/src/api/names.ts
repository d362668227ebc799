// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export type { Audit, AuditListQuery } from "./audit.ts";
export type { Auth, AuthSessionsRevokeBody, AuthSsoBody } from "./auth.ts";
export type { Balances, BalancesListQuery } from "./balances.ts";
export type { Books, BooksGetQuery } from "./books.ts";
export type { Chains, ChainsTokensListQuery } from "./chains.ts";
export type {
  Customers,
  CustomersCreateBody,
  CustomersGetQuery,
  CustomersListQuery,
  CustomersUpdateBody,
} from "./customers.ts";
export type { Deliveries, DeliveriesListQuery } from "./deliveries.ts";
export type { Events, EventsListQuery, EventsStreamQuery } from "./events.ts";
export type { Members, MembersCreateBody, MembersUpdateBody } from "./members.ts";
export type { Needs, NeedsListQuery, NeedsUpdateBody } from "./needs.ts";
export type {
  Payments,
  PaymentsAuthorizeBody,
  PaymentsConfirmBody,
  PaymentsCreateBody,
  PaymentsCreateQuery,
  PaymentsExtendBody,
  PaymentsGetQuery,
  PaymentsHandoffBody,
  PaymentsListQuery,
  PaymentsPayerBody,
  PaymentsResolveBody,
  PaymentsSweepQuery,
  PaymentsTransactionBody,
  PaymentsX402CreateQuery,
  PaymentsX402GetQuery,
} from "./payments.ts";
export type {
  Projects,
  ProjectsGetQuery,
  ProjectsKeysCreateBody,
  ProjectsKeysListQuery,
  ProjectsKeysRollBody,
  ProjectsUpdateBody,
} from "./projects.ts";
export type { Actor, AuditChange, AuditItem, AuditList } from "./records/audit.ts";
export type { AuthSessionRevoke, AuthSso } from "./records/auth.ts";
export type { BalanceItem, BalanceList } from "./records/balances.ts";
export type { Book, BookList, BookMonth, BookMonthList } from "./records/books.ts";
export type { Chain, ChainHealth, ChainToken } from "./records/chains.ts";
export type {
  CreatedCustomer,
  Customer,
  CustomerItem,
  CustomerList,
  Deleted,
  UpdatedCustomer,
} from "./records/customers.ts";
export type {
  WebhookEndpointHealth,
  WebhookEndpointHealthList,
  WebhookEndpointHour,
} from "./records/deliveries.ts";
export type { EventItem, EventList } from "./records/events.ts";
export type { Member, MemberList } from "./records/members.ts";
export type { NeedItem, NeedList, NeedState, Person } from "./records/needs.ts";
export type {
  CreatedPayment,
  Payment,
  PaymentAction,
  PaymentAttribution,
  PaymentConfirm,
  PaymentExplain,
  PaymentExplainTransactions,
  PaymentExplainTransactionsRules,
  PaymentExplainTransactionsTransfers,
  PaymentHandoff,
  PaymentItem,
  PaymentList,
  PaymentPayer,
  PaymentRecheck,
  PaymentRefund,
  PaymentStatus,
  PaymentSweep,
  PaymentTimeline,
  PaymentTransfers,
  SubmittedAuthorization,
} from "./records/payments.ts";
export type {
  CreatedProjectKey,
  Project,
  ProjectKeyItem,
  ProjectKeyList,
  ProjectKeyRoll,
  UpdatedProject,
} from "./records/projects.ts";
export type { CreatedRefund, Refund, RefundItem, RefundList } from "./records/refunds.ts";
export type { RequestLogItem, RequestLogList } from "./records/request-logs.ts";
export type { Role } from "./records/roles.ts";
export type { SearchItem, SearchResult } from "./records/search.ts";
export type {
  CreatedSettlementDestination,
  SettlementDestinationItem,
  SettlementDestinationList,
} from "./records/settlement-destinations.ts";
export type { Settlement, SettlementList } from "./records/settlements.ts";
export type { PaymentSummary, SummaryDay, SummaryTotal } from "./records/summary.ts";
export type { TransferAssign, TransferItem, TransferList } from "./records/transfers.ts";
export type {
  ChangedWebhookEndpoint,
  CreatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointChangeItem,
  WebhookEndpointChangeList,
  WebhookEndpointDelivery,
  WebhookEndpointDeliveryAttempts,
  WebhookEndpointDeliveryItem,
  WebhookEndpointDeliveryItemAttempts,
  WebhookEndpointDeliveryList,
  WebhookEndpointList,
  WebhookEndpointPing,
  WebhookEndpointRecover,
  WebhookEndpointWithLoad,
} from "./records/webhook-endpoints.ts";
export type {
  X402Settlement,
  X402SettlementState,
  X402Support,
  X402Verification,
} from "./records/x402.ts";
export type {
  Refunds,
  RefundsCreateBody,
  RefundsCreateQuery,
  RefundsDestinationBody,
  RefundsGetQuery,
  RefundsListQuery,
  RefundsTransactionBody,
} from "./refunds.ts";
export type { RequestLogs, RequestLogsListQuery } from "./request-logs.ts";
export type { Roles, RolesUpdateBody } from "./roles.ts";
export type { Search, SearchListQuery } from "./search.ts";
export type {
  SettlementDestinations,
  SettlementDestinationsCreateBody,
  SettlementDestinationsListQuery,
} from "./settlement-destinations.ts";
export type {
  Settlements,
  SettlementsCreateBody,
  SettlementsCreateQuery,
  SettlementsGetQuery,
  SettlementsListQuery,
  SettlementsTransactionBody,
} from "./settlements.ts";
export type { Summary, SummaryGetQuery } from "./summary.ts";
export type { Tokens } from "./tokens.ts";
export type { Transfers, TransfersAssignBody, TransfersListQuery } from "./transfers.ts";
export type {
  WebhookEndpoints,
  WebhookEndpointsChangesListQuery,
  WebhookEndpointsCreateBody,
  WebhookEndpointsDeliveriesListQuery,
  WebhookEndpointsListQuery,
  WebhookEndpointsRecoverBody,
  WebhookEndpointsRotateSecretBody,
  WebhookEndpointsUpdateBody,
} from "./webhook-endpoints.ts";
export type { X402, X402SettleBody, X402VerifyBody } from "./x402.ts";
