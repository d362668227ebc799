// The chart gives every process the settings its code reads: none is missing, none is unknown, none is refused.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { chainsConfig } from "@pay/chains";
import { customersConfig } from "@pay/customers";
import { kafkaConfig, kafkaSettings } from "@pay/events";
import { gatewayConfig } from "@pay/gateway";
import { paymentsConfig } from "@pay/payments";
import { processConfig, readConfig, withCallerTokens } from "@pay/process";
import {
  ChainsService,
  CustomersService,
  PaymentsService,
  RefundsService,
  WebhooksService,
} from "@pay/proto";
import { refundsConfig } from "@pay/refunds";
import { getCallers } from "@pay/rpc";
import { webhooksConfig } from "@pay/webhooks";
import { z } from "zod";
import { describeWithHelm, EXAMPLES, example, type Manifest, manifests, named } from "./chart.ts";

const SCHEMAS = {
  gateway: withCallerTokens(gatewayConfig, ["gateway"]),
  payments: withCallerTokens(paymentsConfig, ["payments", ...getCallers(PaymentsService)]),
  customers: withCallerTokens(customersConfig, getCallers(CustomersService)),
  refunds: withCallerTokens(refundsConfig, ["refunds", ...getCallers(RefundsService)]),
  chains: withCallerTokens(chainsConfig, ["chains", ...getCallers(ChainsService)]),
  webhooks: withCallerTokens(webhooksConfig, getCallers(WebhooksService)),
};

/** What the Secrets would hold. */
const SECRETS: Record<string, string> = {
  GATEWAY_KEY_PEPPER: "p".repeat(40),
  PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(40)}`,
  WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32).toString("base64")}`,
  GATEWAY_CALLER_TOKENS: `${"t".repeat(32)},${"u".repeat(32)}`,
  PAYMENTS_CALLER_TOKENS: "p".repeat(32),
  REFUNDS_CALLER_TOKENS: "r".repeat(32),
  CHAINS_CALLER_TOKENS: "c".repeat(32),
  WEBHOOKS_PROXY_URL: "http://pay:p@proxy.egress.svc:3128",
  REDIS_URL: "rediss://pay:p@redis.data.svc:6380/1",
  OIDC: '{"issuer": "https://login.example.com", "clientId": "pay", "clientSecret": "s", "name": "Login"}',
  SMTP_URL: "smtps://pay:p@mail.example.com?from=pay@example.com",
  CHAINS_PROVIDERS: '{"1": ["https://node.example.com"]}',
};

test("what an image runs is reached from outside its container", () => {
  const file = readFileSync("deploy/docker/Dockerfile", "utf8");
  const environment = Object.fromEntries(
    [...file.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = ""]) =>
      line.split(" ").map((one) => one.split("=")),
    ),
  );
  const hosts = z.object({
    ...processConfig.pick({ INTERNAL_HOST: true }).shape,
    GATEWAY_HOST: gatewayConfig.shape.GATEWAY_HOST,
  });
  const every = { GATEWAY_HOST: "::", INTERNAL_HOST: "::" };
  expect(readConfig(hosts, environment)).toEqual(every);
});

function buildEnvironment(all: readonly Manifest[], service: string): Record<string, string> {
  const { data } = named(all, "ConfigMap", `pay-${service}`);
  const { spec } = named(all, "Deployment", `pay-${service}`).spec.template;
  const own = spec.containers[0].env.map(({ name, value, valueFrom }: Manifest) => {
    if (valueFrom === undefined) return [name, value];
    return [name, SECRETS[name] ?? (name.endsWith("_URL") ? "postgres://u:p@h:5432/d" : "secret")];
  });
  return { ...data, ...Object.fromEntries(own) };
}

describeWithHelm("settings", () => {
  const cases = EXAMPLES.flatMap((name) =>
    Object.entries(SCHEMAS).map(([service, schema]) => ({ name, service, schema })),
  );
  test.each(cases)("$service reads what example $name gives it", async (one) => {
    const { name, service, schema } = one;
    const environment = buildEnvironment(await manifests(example(name)), service);
    const full = z.object({ ...schema.shape, ...kafkaConfig, ...processConfig.shape });
    const known = Object.keys(full.shape);
    const given = Object.keys(environment).filter((variable) => !variable.endsWith("_FROM"));
    expect(given.filter((variable) => !known.includes(variable))).toEqual([]);
    expect(() => readConfig(full, environment)).not.toThrow();
  });

  test("a service logs in to Kafka as itself where it has a login of its own", async () => {
    const sasl = { existingSecret: "pay-kafka", existingSecrets: { chains: "chains-kafka" } };
    const all = await manifests(example("minimal"), { kafka: { sasl } });
    function getLogin(service: string) {
      return named(all, "Deployment", `pay-${service}`)
        .spec.template.spec.containers[0].env.filter(({ name }: Manifest) =>
          /_SASL_\w+D$|NAME$/.test(name),
        )
        .map(({ valueFrom }: Manifest) => valueFrom.secretKeyRef.name);
    }

    expect(getLogin("chains")).toEqual(["chains-kafka", "chains-kafka"]);
    expect(getLogin("payments")).toEqual(["pay-kafka", "pay-kafka"]);
  });

  test("each service has its own certificate for calls, which names its Service, and nodes probe it without one", async () => {
    const all = await manifests(example("minimal"), example("mutual-tls"));
    for (const service of Object.keys(SCHEMAS)) {
      const pod = named(all, "Deployment", `pay-${service}`).spec.template.spec;
      const [container] = pod.containers;
      const mount = { name: "rpc-tls", mountPath: "/etc/pay/rpc", readOnly: true };
      expect(container.volumeMounts).toContainEqual(mount);
      expect(buildEnvironment(all, service).RPC_TLS_DIR).toBe(mount.mountPath);
      const { secret } = pod.volumes.find(({ name }: Manifest) => name === mount.name);
      const certificate = named(all, "Certificate", secret.secretName);
      expect(certificate.spec.dnsNames).toEqual([`pay-${service}`]);
      for (const probe of [container.startupProbe, container.livenessProbe]) {
        expect(probe.httpGet.port).toBe("metrics");
      }
    }
    // It calls webhooks as the gateway does.
    const story = JSON.stringify(named(all, "Pod", "pay-story-test"));
    expect(story).toContain('"secretName":"pay-gateway-rpc"');
    const jobs = all.filter(({ kind }) => kind === "Job");
    expect(JSON.stringify(jobs)).not.toContain("rpc-tls");
  });

  test("every setting that is taken from a Secret names the Secret", async () => {
    for (const { env } of (await manifests(example("ha")))
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template.spec.containers[0])) {
      const names = env.map(({ name }: Manifest) => name);
      for (const { name, valueFrom } of env) {
        if (valueFrom !== undefined) expect(names).toContain(`${name}_FROM`);
      }
    }
  });

  test("a plaintext broker without a login reaches the service as an explicit setting", async () => {
    const open = { tls: { enabled: false }, sasl: { mechanism: "" } };
    const all = await manifests(example("minimal"), { kafka: { ...open, insecure: true } });
    const environment = buildEnvironment(all, "payments");
    expect(environment).toMatchObject({ KAFKA_INSECURE: "1" });
    expect(kafkaSettings(readConfig(z.object(kafkaConfig), environment))).not.toHaveProperty("ssl");
    expect(buildEnvironment(await manifests(example("minimal")), "payments")).not.toHaveProperty(
      "KAFKA_INSECURE",
    );
  });

  test("the list of shared addresses reaches refunds", async () => {
    const sharedAddresses = [`0x${"aB".repeat(20)}`, `0x${"12".repeat(20)}`];
    const all = await manifests(example("minimal"), { refunds: { sharedAddresses } });
    const followed = new Set(sharedAddresses.map((address) => address.toLowerCase()));
    const config = readConfig(SCHEMAS.refunds, buildEnvironment(all, "refunds"));
    expect(config).toMatchObject({ REFUNDS_SHARED_ADDRESSES: followed });
  });

  test("a proxy with a login is taken from its Secret by those who call merchants and issuers", async () => {
    const proxy = { existingSecret: "pay-proxy", key: "address" };
    const all = await manifests(example("minimal"), { webhooks: { proxy } });
    const taken = Object.keys(SCHEMAS).filter((service) => {
      const { env } = named(all, "Deployment", `pay-${service}`).spec.template.spec.containers[0];
      const { valueFrom } =
        env.find(({ name }: Manifest) => name === "WEBHOOKS_PROXY_URL") ?? ({} as Manifest);
      if (valueFrom === undefined) return false;
      expect(valueFrom.secretKeyRef).toMatchObject({ name: "pay-proxy", key: "address" });
      return true;
    });
    expect(taken).toEqual(["gateway", "chains", "webhooks"]);
  });

  test("the dashboard has a host of its own, or is off, and its Secrets are the gateway's alone", async () => {
    const url = "https://desk.example.com";
    const secrets = { oidc: { existingSecret: "pay-oidc" }, smtp: { existingSecret: "pay-smtp" } };
    const dashboard = { url, ...secrets };
    const on = { ingress: { enabled: true, tls: { existingSecret: "pay-tls" } }, dashboard };
    const all = await manifests(example("minimal"), on);
    const config = readConfig(SCHEMAS.gateway, buildEnvironment(all, "gateway"));
    expect(config).toMatchObject({
      DASHBOARD: url,
      OIDC: { name: "Login" },
      SMTP_URL: { host: "mail.example.com" },
    });
    const { tls, rules } = named(all, "Ingress", "pay-gateway").spec;
    const hosts = ["pay.example.com", "desk.example.com"];
    expect(rules.map(({ host }: Manifest) => host)).toEqual(hosts);
    expect(tls).toEqual([{ hosts, secretName: "pay-tls" }]);
    for (const secret of ["pay-oidc", "pay-smtp"]) {
      const holders = all.filter((one) => JSON.stringify(one).includes(secret));
      expect(holders.map(({ metadata }) => metadata.name)).toEqual(["pay-gateway"]);
    }

    const off = await manifests(example("minimal"), { dashboard: { enabled: false, url } });
    expect(buildEnvironment(off, "gateway").DASHBOARD).toBe("off");
  });

  test("a development chain reaches the service as its settings", async () => {
    const local = { rpcUrl: "http://10.0.0.1:8545", chainId: 31_337, tokens: [] };
    const all = await manifests(example("minimal"), { chains: { existingSecret: "", local } });
    const config = readConfig(chainsConfig, buildEnvironment(all, "chains"));
    expect(config.CHAINS_LOCAL).toEqual(local);
  });

  test("chains gets the signers with rules and keys, refunds gets only the names of their wallets", async () => {
    const wallet = {
      projectId: `proj_${"A".repeat(24)}`,
      mode: "live",
      chainId: 11_155_111,
      address: `0x${"ab".repeat(20)}`,
    };
    const rules = {
      keystoreFile: "/run/signers/shop.json",
      passphraseFile: "/run/signers/shop.passphrase",
      limits: { native: { transactionMax: "0.5", dayMax: "2" } },
    };
    const signers = { existingSecret: "pay-signers", wallets: [{ ...wallet, ...rules }] };
    const all = await manifests(example("minimal"), { chains: { signers } });
    const chains = readConfig(chainsConfig, buildEnvironment(all, "chains"));
    expect(chains.CHAINS_SIGNERS).toMatchObject([
      { chainId: 11_155_111, keystoreFile: rules.keystoreFile, refundsTo: "payer" },
    ]);
    const refunds = readConfig(refundsConfig, buildEnvironment(all, "refunds"));
    expect(refunds.REFUNDS_SIGNED_WALLETS).toEqual([
      {
        projectId: wallet.projectId,
        mode: 1,
        chainId: 11_155_111,
        address: wallet.address.toLowerCase(),
      },
    ]);
    const holders = all
      .filter(({ kind }) => kind === "Deployment")
      .filter(({ spec }) => JSON.stringify(spec.template.spec.volumes).includes("pay-signers"));
    expect(holders.map(({ metadata }) => metadata.name)).toEqual(["pay-chains"]);
  });
});
