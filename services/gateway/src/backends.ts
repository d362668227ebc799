// The other services as the routes see them. What is hot travels in lists: many requests of many merchants leave
// as one call, and each gets its own answer or its own failure.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Runtime } from "@pay/process";
import {
  ChainsService,
  type CreatePaymentResult,
  type CreatePaymentSchema,
  CustomersService,
  type GetPaymentSchema,
  type Payment,
  type PaymentResult,
  PaymentsService,
  RefundsService,
  type SubmitTransactionSchema,
  WebhooksService,
} from "@pay/proto";
import { type CallOptions, type Client, connect, fromItemFailure, together } from "@pay/rpc";
import type { Caller } from "./caller.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";

export interface Backends {
  createPayment(
    item: MessageInitShape<typeof CreatePaymentSchema>,
  ): Promise<{ payment: Payment; replayed: boolean }>;
  getPayment(item: MessageInitShape<typeof GetPaymentSchema>): Promise<Payment>;
  submitTransaction(item: MessageInitShape<typeof SubmitTransactionSchema>): Promise<Payment>;
  payments: Client<typeof PaymentsService>;
  customers: Client<typeof CustomersService>;
  refunds: Client<typeof RefundsService>;
  webhooks: Client<typeof WebhooksService>;
  chains: Client<typeof ChainsService>;
  catalogue: Catalogue;
  /** Whose work a call is, and how long it may take. */
  callOptions(call: { requestId: string; caller: Caller }): CallOptions;
}

export interface BackendsConfig {
  PAYMENTS_ADDRESS: string;
  CUSTOMERS_ADDRESS: string;
  REFUNDS_ADDRESS: string;
  CHAINS_ADDRESS: string;
  WEBHOOKS_ADDRESS: string;
  GATEWAY_CALL_TIMEOUT_MS: number;
}

export const connectBackends = (config: BackendsConfig, runtime: Runtime): Backends => {
  const timeoutMs = config.GATEWAY_CALL_TIMEOUT_MS;
  const payments = connect(PaymentsService, config.PAYMENTS_ADDRESS, runtime);
  const chains = connect(ChainsService, config.CHAINS_ADDRESS, runtime);

  const create = together(async (requests: MessageInitShape<typeof CreatePaymentSchema>[]) => {
    return (await payments.batchCreatePayments({ requests }, { timeoutMs })).results;
  });
  const get = together(async (requests: MessageInitShape<typeof GetPaymentSchema>[]) => {
    return (await payments.batchGetPayments({ requests }, { timeoutMs })).results;
  });
  const submit = together(async (requests: MessageInitShape<typeof SubmitTransactionSchema>[]) => {
    return (await payments.batchSubmitTransactions({ requests }, { timeoutMs })).results;
  });

  return {
    createPayment: async (item) => {
      const result = await create(item);
      return { payment: paymentOf(result), replayed: result.replayed };
    },
    getPayment: async (item) => paymentOf(await get(item)),
    submitTransaction: async (item) => paymentOf(await submit(item)),
    payments,
    customers: connect(CustomersService, config.CUSTOMERS_ADDRESS, runtime),
    refunds: connect(RefundsService, config.REFUNDS_ADDRESS, runtime),
    webhooks: connect(WebhooksService, config.WEBHOOKS_ADDRESS, runtime),
    chains,
    catalogue: createCatalogue(chains, { clock: runtime.clock, timeoutMs }),
    callOptions: ({ requestId, caller }) => ({
      timeoutMs,
      context: { requestId, projectId: caller.projectId },
    }),
  };
};

const paymentOf = ({ result }: CreatePaymentResult | PaymentResult): Payment => {
  if (result.case === "payment") return result.value;
  if (result.case === "failure") throw fromItemFailure(result.value);
  throw new Error("a list item came back without an answer");
};
