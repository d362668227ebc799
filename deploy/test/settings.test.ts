// The chart gives every process the settings its code reads: none is missing, none is unknown, none is refused.
import { beforeAll, expect, test } from "@jest/globals";
import { chainsConfig } from "@pay/chains";
import { customersConfig } from "@pay/customers";
import { kafkaConfig } from "@pay/events";
import { gatewayConfig } from "@pay/gateway";
import { paymentsConfig } from "@pay/payments";
import { processConfig, readConfig } from "@pay/process";
import { refundsConfig } from "@pay/refunds";
import { webhooksConfig } from "@pay/webhooks";
import {
  describeWithHelm,
  EXAMPLES,
  example,
  helm,
  type Manifest,
  manifests,
  named,
  OBTAIN_TIMEOUT_MS,
} from "./chart.ts";

const SCHEMAS = {
  gateway: gatewayConfig,
  payments: paymentsConfig,
  customers: customersConfig,
  refunds: refundsConfig,
  chains: chainsConfig,
  webhooks: webhooksConfig,
};

/** What the Secrets would hold. */
const SECRETS: Record<string, string> = {
  GATEWAY_KEY_PEPPER: "p".repeat(40),
  PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(40)}`,
  WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32).toString("base64")}`,
  SERVICE_TOKENS: `${"t".repeat(32)},${"u".repeat(32)}`,
  REDIS_URL: "rediss://pay:p@redis.data.svc:6380/1",
  CHAINS_PROVIDERS: '{"1": ["https://node.example.com"]}',
};

const environmentOf = (all: readonly Manifest[], service: string): Record<string, string> => {
  const { data } = named(all, "ConfigMap", `pay-${service}`);
  const { spec } = named(all, "Deployment", `pay-${service}`).spec.template;
  const own = spec.containers[0].env.map(({ name, value, valueFrom }: Manifest) => {
    if (valueFrom === undefined) return [name, value];
    return [name, SECRETS[name] ?? (name.endsWith("_URL") ? "postgres://u:p@h:5432/d" : "secret")];
  });
  return { ...data, ...Object.fromEntries(own) };
};

describeWithHelm("settings", () => {
  beforeAll(async () => {
    await helm("version");
  }, OBTAIN_TIMEOUT_MS);

  const cases = EXAMPLES.flatMap((name) =>
    Object.entries(SCHEMAS).map(([service, schema]) => ({ name, service, schema })),
  );
  test.each(cases)("$service reads what example $name gives it", async (one) => {
    const { name, service, schema } = one;
    const environment = environmentOf(await manifests(example(name)), service);
    const full = schema.extend(kafkaConfig).extend(processConfig.shape);
    const known = Object.keys(full.shape);
    const given = Object.keys(environment).filter((variable) => !variable.endsWith("_FROM"));
    expect(given.filter((variable) => !known.includes(variable))).toEqual([]);
    expect(() => readConfig(full, environment)).not.toThrow();
  });

  test("every setting that is taken from a Secret says from which", async () => {
    for (const { env } of (await manifests(example("ha")))
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template.spec.containers[0])) {
      const names = env.map(({ name }: Manifest) => name);
      for (const { name, valueFrom } of env) {
        if (valueFrom !== undefined) expect(names).toContain(`${name}_FROM`);
      }
    }
  });

  test("a development chain reaches the service as its settings", async () => {
    const local = { rpcUrl: "http://10.0.0.1:8545", chainId: 31_337, tokens: [] };
    const all = await manifests(example("minimal"), { chains: { existingSecret: "", local } });
    const config = readConfig(chainsConfig, environmentOf(all, "chains"));
    expect(config).toMatchObject({
      CHAINS_LOCAL_RPC_URL: local.rpcUrl,
      CHAINS_LOCAL_CHAIN_ID: local.chainId,
    });
  });
});
