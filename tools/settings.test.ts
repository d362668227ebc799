// docs/settings.md lists every variable that a process reads, with its services and whether it is required.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { chainsConfig } from "@pay/chains";
import { customersConfig } from "@pay/customers";
import { kafkaConfig } from "@pay/events";
import { gatewayConfig } from "@pay/gateway";
import { paymentsConfig } from "@pay/payments";
import { processConfig } from "@pay/process";
import { refundsConfig } from "@pay/refunds";
import { webhooksConfig } from "@pay/webhooks";
import type { z } from "zod";

type Shape = Record<string, z.ZodType>;

const SERVICES: Record<string, Shape> = {
  gateway: gatewayConfig.shape,
  payments: paymentsConfig.shape,
  customers: customersConfig.shape,
  refunds: refundsConfig.shape,
  chains: chainsConfig.shape,
  webhooks: webhooksConfig.shape,
};
const EVERY: Shape = { ...processConfig.shape, ...kafkaConfig };
const ALL: Shape = Object.assign({}, EVERY, ...Object.values(SERVICES));

const PAGE = readFileSync(join(import.meta.dirname, "../docs/settings.md"), "utf8");
/** Variables of every service under its own name, which the table has once. */
const PATTERN =
  /^(GATEWAY|PAYMENTS|CUSTOMERS|REFUNDS|CHAINS|WEBHOOKS)(_DATABASE_URL|_DATABASE_POOL_MAX|_ADDRESS|_GRPC_PORT)$/;
const OWN_LOGIN = ["PGUSER", "PGPASSWORD"];

function toRowName(name: string): string {
  return name.replace(PATTERN, "<SERVICE>$2");
}

const ROWS = [...PAGE.matchAll(/^\| (`.+?`) \| (.+?) \| (.+?) \| .+ \|$/gm)].flatMap(
  ([, names = "", usedBy = "", fallback = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ name, usedBy, fallback })),
);

test("the table has each variable once", () => {
  const names = ROWS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const read = new Set(Object.keys(ALL).map(toRowName));
  // Which tokens a process reads follows from its callers, not from its schema.
  expect([...names].sort()).toEqual([...read, "<SERVICE>_CALLER_TOKENS"].sort());
});

const own = Object.keys(ALL).filter((name) => !PATTERN.test(name) && !OWN_LOGIN.includes(name));

test.each(own)("%s has its services and says whether it is required", (name) => {
  const row = ROWS.find((one) => one.name === name);
  const services = Object.keys(SERVICES).filter((service) => name in (SERVICES[service] ?? {}));
  expect(row?.usedBy).toBe(name in EVERY ? "all" : services.join(", "));
  expect(row?.fallback === "required").toBe(ALL[name]?.safeParse(undefined).success === false);
});
