// The same between services: every rpc that works for a tenant is asked by a stranger, and by nobody. The rpcs come
// from the descriptors, so a new one without a row fails.
import type { DescField, DescMessage, DescService } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import * as proto from "@pay/proto";
import { connect, Failure } from "@pay/rpc";
import { orderOn, PAYER, type Product, SERVICE_TOKEN } from "./product.ts";
import type { Side } from "./tenants.ts";

const { ChainsService, CustomersService, PaymentsService, RefundsService, WebhooksService } = proto;
const SERVICES: { service: DescService; door: keyof Product["grpc"] }[] = [
  { service: ChainsService, door: "chains" },
  { service: CustomersService, door: "customers" },
  { service: PaymentsService, door: "payments" },
  { service: RefundsService, door: "refunds" },
  { service: WebhooksService, door: "webhooks" },
];

/** Why an rpc needs no tenant. */
const TENANTLESS: Record<string, string> = {
  "chains.v1.ChainsService/ListChains": "the catalogue is public",
  "chains.v1.ChainsService/CountUnusedTransfers": "the chain is public",
  "webhooks.v1.WebhooksService/CreateDefaultEndpoint": "the operator's, for a project it names",
};

const TX_HASH = `0x${"d".repeat(64)}`;
const FIRST_PAGE = { page: 1, limit: 20, after: "" };

interface Row {
  /** The request but for its tenant, on things of this side. */
  request(side: Side): object;
  /** What a stranger gets: refused as unknown, an empty list, something of its own, or nothing in this form. */
  stranger: "not_found" | "empty" | "own" | object;
}

const ROWS: Record<string, Row> = {
  "chains.v1.ChainsService/BatchGetTransfers": {
    request: ({ ids }) => ({ subjectIds: [ids.pay] }),
    stranger: { transfers: [] },
  },
  "payments.v1.PaymentsService/BatchCreatePayments": {
    request: ({ chainId }) => ({
      ...orderOn(chainId),
      ...{ chainId: BigInt(chainId), variant: proto.Variant.PRIMARY, requestId: "request" },
      expiresInMinutes: 30,
    }),
    stranger: "own",
  },
  "payments.v1.PaymentsService/BatchGetPayments": {
    request: ({ ids }) => ({ id: ids.pay }),
    stranger: "not_found",
  },
  "payments.v1.PaymentsService/BatchSubmitTransactions": {
    request: ({ ids }) => ({ id: ids.pay, requestId: "request", txHash: TX_HASH, trusted: true }),
    stranger: "not_found",
  },
  "payments.v1.PaymentsService/ListPayments": {
    request: ({ ids }) => ({ page: FIRST_PAGE, customerId: ids.cust }),
    stranger: "empty",
  },
  "payments.v1.PaymentsService/BatchGetTimelines": {
    request: ({ ids }) => ({ ids: [ids.pay] }),
    stranger: { timelines: [{ steps: [] }] },
  },
  "payments.v1.PaymentsService/RefundPayment": {
    request: ({ ids }) => ({ id: ids.pay, requestId: "request" }),
    stranger: "not_found",
  },
  "customers.v1.CustomersService/CreateCustomer": {
    request: () => ({ requestId: "request", walletAddress: PAYER }),
    stranger: "own",
  },
  "customers.v1.CustomersService/GetCustomer": {
    request: ({ ids }) => ({ id: ids.cust }),
    stranger: "not_found",
  },
  "customers.v1.CustomersService/BatchGetCustomers": {
    request: ({ ids }) => ({ ids: [ids.cust] }),
    stranger: { customers: [] },
  },
  "customers.v1.CustomersService/ListCustomers": {
    request: () => ({
      page: FIRST_PAGE,
      walletAddress: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
    }),
    stranger: "empty",
  },
  "customers.v1.CustomersService/UpdateCustomer": {
    request: ({ ids }) => ({ id: ids.cust, requestId: "request", displayName: "Stolen" }),
    stranger: "not_found",
  },
  "customers.v1.CustomersService/DeleteCustomer": {
    request: ({ ids }) => ({ id: ids.cust, requestId: "request" }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/CreateRefund": {
    request: ({ ids }) => ({ paymentId: ids.pay, amount: "0.0001", requestId: "request" }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/GetRefund": {
    request: ({ ids }) => ({ id: ids.refund }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/BatchListRefunds": {
    request: ({ ids }) => ({ paymentIds: [ids.pay] }),
    stranger: { refunds: [] },
  },
  "refunds.v1.RefundsService/ListRefunds": {
    request: ({ ids }) => ({ page: FIRST_PAGE, paymentId: ids.pay }),
    stranger: "empty",
  },
  "refunds.v1.RefundsService/SubmitRefundTransaction": {
    request: ({ ids }) => ({ id: ids.refund, requestId: "request", txHash: TX_HASH }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/ListDeliveries": {
    request: ({ ids }) => ({ page: FIRST_PAGE, resourceId: ids.pay }),
    stranger: "empty",
  },
};

const fieldOf = (message: DescMessage, name: string): DescField | undefined =>
  message.fields.find(({ localName }) => localName === name);

/** Where the tenant stands: in the request itself, or in each item of a list. */
const itemsOf = (input: DescMessage): DescField | undefined =>
  input.fields.find(
    (field) =>
      field.fieldKind === "list" &&
      field.listKind === "message" &&
      fieldOf(field.message, "tenant") !== undefined,
  );

const RPCS = SERVICES.flatMap(({ service, door }) =>
  service.methods.map((method) => ({
    name: `${service.typeName}/${method.name}`,
    localName: method.localName,
    service,
    door,
    items: itemsOf(method.input)?.localName,
    hasTenant: fieldOf(method.input, "tenant") !== undefined,
  })),
);
type Rpc = (typeof RPCS)[number];

interface Outcome {
  kind: string;
  /** What was answered, when it was no refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of all services are read by their field names
  answer?: any;
}

const LIVE = proto.Mode.LIVE;
const NOBODIES: [string, object][] = [
  ["no tenant", {}],
  ["no project", { tenant: { projectId: "", mode: LIVE } }],
  ["no mode", { tenant: { projectId: `proj_${"A".repeat(24)}` } }],
];

export interface Parties {
  product: Product;
  mine: Side;
  theirs: Side;
}

export const describeCalls = (parties: () => Parties): void => {
  describe("between services", () => {
    type Call = (rpc: Rpc, request: object) => Promise<Outcome>;
    const serviceTokens = [SERVICE_TOKEN];
    const life = createTestRuntime("isolation", { serviceTokens });
    /** As a service of the product. */
    let call: Call;
    /** As anybody else who reaches the port. */
    let callUnknown: Call[];

    const callerKnownBy = (tokens: readonly string[]): Call => {
      const { grpc } = parties().product;
      const runtime = { ...life, serviceTokens: tokens };
      const clients = new Map(
        SERVICES.map(({ service, door }) => [service, connect(service, grpc[door], runtime)]),
      );
      return async ({ service, localName, items }, request) => {
        const client = clients.get(service) as unknown as Record<
          string,
          (request: object) => Promise<Outcome["answer"]>
        >;
        try {
          const answer = await client[localName]?.(items ? { [items]: [request] } : request);
          const { case: kind, value } = answer.results?.[0]?.result ?? {};
          return kind === "failure" ? { kind: value.kind } : { kind: "ok", answer };
        } catch (error) {
          return { kind: error instanceof Failure ? error.kind : String(error) };
        }
      };
    };
    beforeAll(() => {
      call = callerKnownBy(serviceTokens);
      callUnknown = [callerKnownBy([]), callerKnownBy(["another token, as long as the real one"])];
    });
    afterAll(() => life.stop());

    test("every rpc takes a tenant and has a row, or says why it needs none", () => {
      const withTenant = RPCS.filter(({ items, hasTenant }) => items || hasTenant);
      expect(withTenant.map(({ name }) => name).sort()).toEqual(Object.keys(ROWS).sort());
      const without = RPCS.filter((rpc) => !withTenant.includes(rpc));
      expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(TENANTLESS).sort());
    });

    test.each(RPCS)("$name answers no caller but the product's own services", async (rpc) => {
      for (const callAs of callUnknown) {
        const { kind } = await callAs(rpc, ROWS[rpc.name]?.request(parties().mine) ?? {});
        expect(kind).toBe("unauthenticated");
      }
    });

    describe.each(RPCS.filter(({ name }) => name in ROWS))("$name", (rpc) => {
      const row = ROWS[rpc.name] as Row;

      test.each(NOBODIES)("refuses a request with %s", async (_, nobody) => {
        const { kind } = await call(rpc, { ...row.request(parties().mine), ...nobody });
        expect(kind).toBe("invalid_argument");
      });

      test("gives a stranger nothing", async () => {
        const { mine, theirs } = parties();
        const tenant = { projectId: theirs.projectId, mode: LIVE };
        const otherMode = { projectId: mine.projectId, mode: proto.Mode.TEST };
        for (const stranger of [tenant, otherMode]) {
          const { kind, answer } = await call(rpc, { ...row.request(mine), tenant: stranger });
          expect(kind).toBe(row.stranger === "not_found" ? "not_found" : "ok");
          const text = JSON.stringify(answer ?? {}, (_, value) =>
            typeof value === "bigint" ? value.toString() : value,
          );
          for (const id of [mine.ids.pay, mine.ids.refund, mine.ids.key]) {
            expect(text).not.toContain(id);
          }
          if (row.stranger === "empty") expect(answer).toMatchObject({ total: 0n });
          if (typeof row.stranger === "object") expect(answer).toMatchObject(row.stranger);
          if (row.stranger === "own") {
            const [made] = answer.results?.map(({ result }: Outcome["answer"]) => result.value) ?? [
              answer.customer,
            ];
            expect(made).toMatchObject(stranger);
          }
        }
      });
    });
  });
};
