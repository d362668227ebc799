// One replica of a service as a process of its own, so that a test can freeze it. It prints its address.
import { createTestRuntime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { implement, serve } from "../src/index.ts";
import { completeHandlers } from "./some-of.ts";

const customer = { id: `cust_${process.pid}`, projectId: "proj_1", version: 1 };
const handlers = completeHandlers({
  getCustomer: async () => ({ customer }),
  batchGetCustomers: async ({ ids }) => ({ customers: ids.map((id) => ({ ...customer, id })) }),
});

const { address } = await serve({
  runtime: createTestRuntime("replica"),
  port: 0,
  services: [implement(CustomersService, handlers)],
});
process.stdout.write(`${address}\n`);
process.stdin.once("end", () => process.exit()).resume();
