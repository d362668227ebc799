// The other services as the routes see them. A route calls them through clients that are bound to its request:
// tenant, request id and deadline are set here and nowhere else. Frequent calls are sent in lists: many requests of
// many merchants leave as one call, and each gets its own answer or its own failure.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createBatcher, REPLICATED } from "@pay/batching";
import { fromItemFailure } from "@pay/failures";
import type { Runtime } from "@pay/process";
import {
  ChainsService,
  type CreatePaymentResult,
  type CreatePaymentSchema,
  CustomersService,
  type GetPaymentSchema,
  type OpenPaymentSchema,
  type Payment,
  type PaymentResult,
  PaymentsService,
  type Refund,
  RefundsService,
  SettlementsService,
  type SubmitTransactionSchema,
  WebhooksService,
} from "@pay/proto";
import type { Client } from "@pay/rpc";
import { createAuthorizationReader, type FindAuthorization } from "./authorizations.ts";
import { type Bound, createBinder, type RequestContext } from "./bind.ts";
import { type Catalog, createCatalog } from "./catalog.ts";
import { connectService } from "./connect-service.ts";
import { createRecipientChecks, type TakesData } from "./recipients.ts";

type CreatePayment = MessageInitShape<typeof CreatePaymentSchema>;
type GetPayment = MessageInitShape<typeof GetPaymentSchema>;
type OpenPayment = MessageInitShape<typeof OpenPaymentSchema>;
type SubmitTransaction = MessageInitShape<typeof SubmitTransactionSchema>;

interface BatchedPayments {
  createPayment(item: CreatePayment): Promise<{ payment: Payment; replayed: boolean }>;
  getPayment(item: GetPayment): Promise<Payment>;
  submitTransaction(item: SubmitTransaction): Promise<Payment>;
}

/** All of them, for one request. */
export interface Services {
  payments: Bound<Client<typeof PaymentsService> & BatchedPayments>;
  customers: Bound<Client<typeof CustomersService>>;
  refunds: Bound<Client<typeof RefundsService>>;
  settlements: Bound<Client<typeof SettlementsService>>;
  webhooks: Bound<Client<typeof WebhooksService>>;
  chains: Bound<Client<typeof ChainsService>>;
}

export interface ConnectedServices {
  /** For a caller who is known by nothing but a payment's client secret. */
  openPayment(item: OpenPayment): Promise<Payment>;
  /** How far the events of each of these tenants have come, for streams that are connected now. */
  feedPositions(tenants: readonly RequestContext["tenant"][]): Promise<bigint[]>;
  /** Refunds of a payment, newest first, for pages that follow it. */
  listRefunds(payment: Pick<Payment, "projectId" | "mode" | "id">): Promise<readonly Refund[]>;
  /** The last authorization of a payment, for pages that follow it; undefined while chains does not answer. */
  findAuthorization: FindAuthorization;
  bindServices(context: RequestContext): Services;
  /** The same for every project, so it needs no request. */
  catalog: Catalog;
  takesData: TakesData;
}

export interface ServicesConfig {
  PAYMENTS_ADDRESS: string;
  CUSTOMERS_ADDRESS: string;
  REFUNDS_ADDRESS: string;
  CHAINS_ADDRESS: string;
  WEBHOOKS_ADDRESS: string;
  GATEWAY_CALL_TIMEOUT_MS: number;
}

export function connectServices(config: ServicesConfig, runtime: Runtime): ConnectedServices {
  const timeoutMs = config.GATEWAY_CALL_TIMEOUT_MS;
  const payments = connectService(PaymentsService, config.PAYMENTS_ADDRESS, runtime);
  const chains = connectService(ChainsService, config.CHAINS_ADDRESS, runtime);
  const bindPayments = createBinder({ ...payments, ...batchPayments(payments, timeoutMs) });
  const bindCustomers = createBinder(
    connectService(CustomersService, config.CUSTOMERS_ADDRESS, runtime),
  );
  const refunds = connectService(RefundsService, config.REFUNDS_ADDRESS, runtime);
  const bindRefunds = createBinder(refunds);
  // The refunds service has both, because both take from the same wallets.
  const bindSettlements = createBinder(
    connectService(SettlementsService, config.REFUNDS_ADDRESS, runtime),
  );
  const webhooks = connectService(WebhooksService, config.WEBHOOKS_ADDRESS, runtime);
  const bindWebhooks = createBinder(webhooks);
  const bindChains = createBinder(chains);
  const open = createBatcher(async (requests: OpenPayment[]) => {
    return (await payments.batchOpenPayments({ requests }, { timeoutMs })).results;
  });
  return {
    openPayment: async (item) => requirePayment(await open(item)),
    feedPositions: async (tenants) => {
      const feeds = tenants.map((tenant) => ({ tenant }));
      return (await webhooks.listFeedPositions({ feeds }, { timeoutMs })).positions;
    },
    listRefunds: async ({ projectId, mode, id }) => {
      const request = { tenant: { projectId, mode }, paymentIds: [id] };
      return (await refunds.batchListRefunds(request, { timeoutMs })).refunds;
    },
    findAuthorization: createAuthorizationReader(chains),
    bindServices: ({ tenant, requestId }) => {
      const options = { timeoutMs, context: { requestId, projectId: tenant.projectId } };
      const context = { tenant, requestId, options };
      return {
        payments: bindPayments(context),
        customers: bindCustomers(context),
        refunds: bindRefunds(context),
        settlements: bindSettlements(context),
        webhooks: bindWebhooks(context),
        chains: bindChains(context),
      };
    },
    catalog: createCatalog(chains, { clock: runtime.clock, timeoutMs }),
    takesData: createRecipientChecks(chains),
  };
}

function batchPayments(
  payments: Client<typeof PaymentsService>,
  timeoutMs: number,
): BatchedPayments {
  const create = createBatcher(async (requests: CreatePayment[]) => {
    return (await payments.batchCreatePayments({ requests }, { timeoutMs })).results;
  }, REPLICATED);
  const get = createBatcher(async (requests: GetPayment[]) => {
    return (await payments.batchGetPayments({ requests }, { timeoutMs })).results;
  }, REPLICATED);
  const submit = createBatcher(async (requests: SubmitTransaction[]) => {
    return (await payments.batchSubmitTransactions({ requests }, { timeoutMs })).results;
  }, REPLICATED);
  return {
    createPayment: async (item) => {
      const result = await create(item);
      return { payment: requirePayment(result), replayed: result.replayed };
    },
    getPayment: async (item) => requirePayment(await get(item)),
    submitTransaction: async (item) => requirePayment(await submit(item)),
  };
}

function requirePayment({ result }: CreatePaymentResult | PaymentResult): Payment {
  if (result.case === "payment") return result.value;
  if (result.case === "failure") throw fromItemFailure(result.value);
  throw new Error("a list item came back without an answer");
}
