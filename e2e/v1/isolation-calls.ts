// Isolation between services: every rpc with a tenant is called by another tenant, and without a valid tenant. The rpcs
// come from the descriptors, so a new rpc without a row fails.
import type { DescField, DescMessage, DescService } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Failure, getKind } from "@pay/failures";
import { createTestRuntime } from "@pay/process";
import * as proto from "@pay/proto";
import { CALLERS, connect, getCallers } from "@pay/rpc";
import { CHAINS_ROWS, TX_HASH } from "./isolation-chains.ts";
import { FIRST_PAGE, type Row, type RpcName } from "./isolation-row.ts";
import { WEBHOOK_ROWS } from "./isolation-webhooks.ts";
import { getToken, orderOn, PAYER, type Product, RECIPIENT } from "./product.ts";
import type { Side } from "./tenants.ts";

const { ChainsService, CustomersService, PaymentsService, RefundsService, WebhooksService } = proto;
const SERVICES: { service: DescService; grpcName: keyof Product["grpc"] }[] = [
  { service: ChainsService, grpcName: "chains" },
  { service: CustomersService, grpcName: "customers" },
  { service: PaymentsService, grpcName: "payments" },
  { service: RefundsService, grpcName: "refunds" },
  { service: proto.SettlementsService, grpcName: "refunds" },
  { service: WebhooksService, grpcName: "webhooks" },
];

/** Why an rpc needs no tenant. */
const TENANTLESS = {
  "chains.v1.ChainsService/ListChains": "the catalog is public",
  "chains.v1.ChainsService/CheckRecipient": "the chain is public",
  "chains.v1.ChainsService/CheckRefund": "the chain is public",
  "chains.v1.ChainsService/CheckSignature": "the chain is public",
  "payments.v1.PaymentsService/BatchOpenPayments": "the client secret names one payment",
  "payments.v1.PaymentsService/RedeemHandoff": "the code opens one payment",
  "payments.v1.PaymentsService/FindOpenPayments":
    "chains asks for wallets of many tenants, each with its own",
  "webhooks.v1.WebhooksService/CreateDefaultEndpoint": "the operator's, for a project it names",
} satisfies Partial<Record<RpcName, string>>;

function ofPayment(more: object = {}): Row {
  const request: Row["request"] = ({ ids }) => ({ id: ids.pay, requestId: "request", ...more });
  return { request, stranger: "not_found" };
}

const ROWS: Record<string, Row> = {
  ...CHAINS_ROWS,
  "payments.v1.PaymentsService/BatchCreatePayments": {
    request: ({ chainId }) => ({
      ...orderOn(chainId),
      chainId: BigInt(chainId),
      variant: proto.Variant.PRIMARY,
      requestId: "request",
      expiresInMinutes: 30,
    }),
    stranger: "own",
  },
  "payments.v1.PaymentsService/BatchGetPayments": ofPayment(),
  "payments.v1.PaymentsService/ListActions": ofPayment(),
  "payments.v1.PaymentsService/AssignTransfer": ofPayment({ txHash: TX_HASH }),
  "payments.v1.PaymentsService/BatchSubmitTransactions": ofPayment({
    txHash: TX_HASH,
    trusted: true,
  }),
  "payments.v1.PaymentsService/ListPayments": {
    request: ({ ids }) => ({ page: FIRST_PAGE, customerId: ids.cust }),
    stranger: "empty",
  },
  "payments.v1.PaymentsService/ListUndecidedPayments": {
    request: () => ({ page: FIRST_PAGE }),
    stranger: { payments: [] },
  },
  "payments.v1.PaymentsService/ListPaymentSums": {
    request: () => ({ from: "2000-01-01", to: "2100-01-01" }),
    stranger: {},
  },
  "payments.v1.PaymentsService/BatchGetTimelines": {
    request: ({ ids }) => ({ ids: [ids.pay] }),
    stranger: { timelines: [{ steps: [] }] },
  },
  "payments.v1.PaymentsService/DeclarePayer": ofPayment({ payerAddress: PAYER, trusted: true }),
  "payments.v1.PaymentsService/ExtendPayment": ofPayment({ trusted: true }),
  "payments.v1.PaymentsService/CreateHandoff": ofPayment({ trusted: true }),
  "payments.v1.PaymentsService/CancelPayment": ofPayment(),
  "payments.v1.PaymentsService/ResolvePayment": ofPayment({ accept: false }),
  "payments.v1.PaymentsService/RefundPayment": ofPayment(),
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
  "refunds.v1.RefundsService/CreateDeclaredRefund": {
    request: ({ ids }) => ({ paymentId: ids.pay, requestId: "request" }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/GetRefund": {
    request: ({ ids }) => ({ id: ids.refund }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/CheckRefundable": {
    request: ({ ids }) => ({ paymentId: ids.pay }),
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
  "refunds.v1.RefundsService/SetRefundDestination": {
    request: ({ ids, treasury }) => ({
      id: ids.refund,
      requestId: "request",
      destinationAddress: treasury,
    }),
    stranger: "not_found",
  },
  "refunds.v1.RefundsService/CancelRefund": {
    request: ({ ids }) => ({ id: ids.refund, requestId: "request" }),
    stranger: "not_found",
  },
  "settlements.v1.SettlementsService/CreateSettlement": {
    request: ({ chainId, treasury }) => ({
      chainId: BigInt(chainId),
      currency: "native",
      amount: "0.000001",
      sourceAddress: RECIPIENT,
      destinationAddress: treasury,
      requestedBy: "key",
    }),
    stranger: "invalid_argument",
  },
  "settlements.v1.SettlementsService/GetSettlement": {
    request: ({ ids }) => ({ id: ids.stl }),
    stranger: "not_found",
  },
  "settlements.v1.SettlementsService/ListSettlements": {
    request: () => ({ page: FIRST_PAGE, chainId: 424_242n }),
    stranger: "empty",
  },
  "settlements.v1.SettlementsService/ApproveSettlement": {
    request: ({ ids }) => ({ id: ids.stl, approvedBy: "key", requestId: "request" }),
    stranger: "not_found",
  },
  "settlements.v1.SettlementsService/RejectSettlement": {
    request: ({ ids }) => ({ id: ids.stl, requestId: "request" }),
    stranger: "not_found",
  },
  "settlements.v1.SettlementsService/SubmitSettlementTransaction": {
    request: ({ ids }) => ({ id: ids.stl, requestId: "request", txHash: TX_HASH }),
    stranger: "not_found",
  },
  "settlements.v1.SettlementsService/CreateDestination": {
    request: ({ chainId }) => ({
      chainId: BigInt(chainId),
      address: `0x${"ab".repeat(20)}`,
      createdBy: "key",
    }),
    stranger: "own",
  },
  "settlements.v1.SettlementsService/ListDestinations": {
    request: () => ({ page: FIRST_PAGE }),
    stranger: {},
  },
  "settlements.v1.SettlementsService/ListWallets": {
    request: () => ({ limit: 20 }),
    stranger: {},
  },
  "settlements.v1.SettlementsService/DeleteDestination": {
    request: ({ ids }) => ({ id: ids.dst }),
    stranger: "not_found",
  },
  ...WEBHOOK_ROWS,
} satisfies Record<Exclude<RpcName, keyof typeof TENANTLESS>, Row>;

function findField(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find(({ localName }) => localName === name);
}

/** Where the tenant stands: in the request itself, or in each item of a list. */
function getItems(input: DescMessage): DescField | undefined {
  return input.fields.find(
    (field) =>
      field.fieldKind === "list" &&
      field.listKind === "message" &&
      findField(field.message, "tenant") !== undefined,
  );
}

const RPCS = SERVICES.flatMap(({ service, grpcName }) =>
  service.methods.map((method) => ({
    name: `${service.typeName}/${method.name}`,
    localName: method.localName,
    service,
    grpcName,
    callers: getCallers(method),
    items: getItems(method.input)?.localName,
    hasTenant: findField(method.input, "tenant") !== undefined,
  })),
);
type Rpc = (typeof RPCS)[number];

interface Outcome {
  kind: string;
  /** The answer, unless it was a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of all services are read by their field names
  answer?: any;
}

const LIVE = proto.Mode.LIVE;
const BAD_TENANTS: [string, object][] = [
  ["no tenant", {}],
  ["no project", { tenant: { projectId: "", mode: LIVE } }],
  ["no mode", { tenant: { projectId: `proj_${"A".repeat(24)}` } }],
];

export interface Parties {
  product: Product;
  mine: Side;
  theirs: Side;
}

export function describeCalls(parties: () => Parties): void {
  describe("between services", () => {
    type Call = (rpc: Rpc, request: object) => Promise<Outcome>;
    const life = createTestRuntime("isolation");
    /** With the token of each service that calls others. */
    let callAs: Map<string, Call>;
    /** With no token and with an unknown token, as any other program that reaches the port. */
    let callUnknown: Call[];
    /** With the token of a service that may call the rpc. */
    const call: Call = (rpc, request) => (callAs.get(rpc.callers[0] ?? "") as Call)(rpc, request);

    function callerKnownBy(token: string | undefined): Call {
      const { grpc } = parties().product;
      const runtime = { ...life, identity: { token, callers: {} } };
      const clients = new Map(
        SERVICES.map(({ service, grpcName }) => [
          service,
          connect(service, grpc[grpcName], runtime),
        ]),
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
          return { kind: error instanceof Failure ? getKind(error.errorCode) : String(error) };
        }
      };
    }

    beforeAll(() => {
      callAs = new Map(CALLERS.map((name) => [name, callerKnownBy(getToken(name))]));
      callUnknown = [undefined, getToken("another service")].map(callerKnownBy);
    });
    afterAll(() => life.stop());

    test("every rpc takes a tenant and has a row, or says why it needs none", () => {
      const withTenant = RPCS.filter(({ items, hasTenant }) => items || hasTenant);
      expect(withTenant.map(({ name }) => name).sort()).toEqual(Object.keys(ROWS).sort());
      const without = RPCS.filter((rpc) => !withTenant.includes(rpc));
      expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(TENANTLESS).sort());
    });

    test.each(RPCS)("$name answers no caller but the product's own services", async (rpc) => {
      for (const callUnknownAs of callUnknown) {
        const { kind } = await callUnknownAs(rpc, ROWS[rpc.name]?.request(parties().mine) ?? {});
        expect(kind).toBe("unauthenticated");
      }
    });

    test("every project has a webhook endpoint of its own in each mode", async () => {
      const { mine, theirs } = parties();
      const rpc = RPCS.find(({ localName }) => localName === "putDefaultEndpoint") as Rpc;
      function endpoints() {
        return Promise.all(
          [mine, theirs].flatMap(({ projectId }) =>
            [LIVE, proto.Mode.TEST].map((mode) =>
              call(rpc, { tenant: { projectId, mode }, projectVersion: 0 }),
            ),
          ),
        );
      }

      const ids = (await endpoints()).map(({ answer }) => answer.endpointId);
      expect(new Set(ids).size).toBe(4);
      expect((await endpoints()).map(({ answer }) => answer.endpointId)).toEqual(ids);
    });

    const pairs = RPCS.flatMap((rpc) =>
      CALLERS.map((caller) => ({ rpc, caller, name: rpc.name, is: rpc.callers.includes(caller) })),
    );
    test.each(pairs.filter(({ is }) => !is))("$name refuses $caller", async ({ rpc, caller }) => {
      const { kind } = await (callAs.get(caller) as Call)(
        rpc,
        ROWS[rpc.name]?.request(parties().mine) ?? {},
      );
      expect(kind).toBe("permission_denied");
    });

    test.each(pairs.filter(({ is }) => is))("$name answers $caller", async ({ rpc, caller }) => {
      const { kind } = await (callAs.get(caller) as Call)(rpc, {});
      expect(["ok", "invalid_argument"]).toContain(kind);
    });

    describe.each(RPCS.filter(({ name }) => name in ROWS))("$name", (rpc) => {
      const row = ROWS[rpc.name] as Row;

      test.each(BAD_TENANTS)("refuses a request with %s", async (_, badTenant) => {
        const { kind } = await call(rpc, { ...row.request(parties().mine), ...badTenant });
        expect(kind).toBe("invalid_argument");
      });

      test("gives a stranger nothing", async () => {
        const { mine, theirs } = parties();
        const tenant = { projectId: theirs.projectId, mode: LIVE };
        const otherMode = { projectId: mine.projectId, mode: proto.Mode.TEST };
        for (const stranger of [tenant, otherMode]) {
          const { kind, answer } = await call(rpc, { ...row.request(mine), tenant: stranger });
          const isRefused = ["not_found", "invalid_argument"].includes(String(row.stranger));
          expect(kind).toBe(isRefused ? row.stranger : "ok");
          const text = JSON.stringify(answer ?? {}, (_, value) =>
            typeof value === "bigint" ? value.toString() : value,
          );
          for (const id of Object.values(mine.ids)) expect(text).not.toContain(id);
          if (row.stranger === "empty") expect(answer).toMatchObject({ total: 0n });
          if (typeof row.stranger === "object") expect(answer).toMatchObject(row.stranger);
          if (row.stranger === "own") {
            const [made] = answer.results?.map(({ result }: Outcome["answer"]) => result.value) ?? [
              answer.customer ?? answer.destination,
            ];
            expect(made).toMatchObject(stranger);
          }
        }
      });
    });
  });
}
