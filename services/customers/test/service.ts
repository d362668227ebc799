// The customers service as its tests run it: real PostgreSQL, real gRPC, a bus whose events are kept for the tests.
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { createLocalBus, TOPICS } from "@pay/events";
import { createTestRuntime } from "@pay/process";
import {
  type CreateCustomerRequestSchema,
  CustomersService,
  type Event,
  EventSchema,
  Mode,
} from "@pay/proto";
import { connect } from "@pay/rpc";
import { patient, testDatabase, until } from "@pay/testing";
import { startCustomers } from "../src/index.ts";

export const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
export const OTHER_WALLET = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

export const notFound = { errorCode: "customer_not_found", message: "Customer not found" };

let projects = 0;
/** A project that no other test uses, so that tests of one file do not see each other. */
export function aTenant(mode: Mode = Mode.LIVE) {
  return {
    projectId: `proj_${String(++projects).padStart(24, "0")}`,
    mode,
  };
}

export type Tenant = ReturnType<typeof aTenant>;
export type Service = Awaited<ReturnType<typeof startService>>;

export async function startService() {
  const database = await testDatabase("services/customers");
  const clock = createHandClock();
  const runtime = createTestRuntime("customers", { clock });
  const bus = createLocalBus();
  /** By their ids, because a relay may publish an event twice. */
  const events = new Map<string, Event>();
  await bus.subscribe({
    group: "reader",
    topics: Object.values(TOPICS),
    handle: async (records) => {
      for (const { eventId, payload } of records) {
        if (!events.has(eventId)) events.set(eventId, fromBinary(EventSchema, payload));
      }
    },
  });
  const { address } = await startCustomers(
    {
      CUSTOMERS_DATABASE_URL: database.url,
      CUSTOMERS_DATABASE_POOL_MAX: 10,
      CUSTOMERS_GRPC_PORT: 0,
    },
    runtime,
    { bus },
  );
  const client = patient(connect(CustomersService, address, runtime));
  return {
    client,
    pool: database.pool,
    clock,
    create: async (
      tenant: Tenant,
      fields: Omit<MessageInitShape<typeof CreateCustomerRequestSchema>, "$typeName"> = {},
    ) => {
      const request = { tenant, requestId: "req-create", walletAddress: WALLET, ...fields };
      const { customer } = await client.createCustomer(request);
      if (customer === undefined) throw new Error("a creation answers with the customer");
      return customer;
    },
    /** All events of a project, once the outbox is empty. */
    readEvents: async ({ projectId }: { projectId: string }) => {
      await until(
        async () => (await database.pool.query("select from outbox limit 1")).rowCount === 0,
        { what: "an empty outbox" },
      );
      return [...events.values()].filter((event) => event.projectId === projectId);
    },
    stop: async () => {
      await runtime.stop();
      await database.drop();
    },
  };
}

/** The time changes only when a test moves it. */
function createHandClock() {
  let now = new Date("2026-01-01T00:00:00.000Z").getTime();
  return {
    now: () => new Date(now),
    move: (ms: number) => {
      now += ms;
    },
  };
}
