import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { leasePort, PortTaken } from "@pay/embedded";
import { startChild } from "../src/children.ts";

const NOWHERE = {
  PATH: process.env.PATH,
  LOG_LEVEL: "silent",
  CUSTOMERS_DATABASE_URL: "postgres://customers:x@127.0.0.1:1/customers",
  KAFKA_BROKERS: "127.0.0.1:1",
};

const others: Server[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.close();
});

test("a service that cannot bind its port says which, so that it can be started on another", async () => {
  const port = await leasePort();
  const other = createServer().listen(port, "127.0.0.1");
  others.push(other);
  await once(other, "listening");
  const start = startChild("customers", NOWHERE, port);
  await expect(start).rejects.toEqual(new PortTaken(port));
});

test("a service that ends for another reason is not started on another port", async () => {
  const start = startChild("customers", { PATH: process.env.PATH }, await leasePort());
  await expect(start).rejects.toThrow("customers ended while it started (exit code 1)");
});
