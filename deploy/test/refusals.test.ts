// What the chart refuses, each with the field that is wrong or missing.
import { describe, expect, test } from "@jest/globals";
import {
  describeWithHelm,
  example,
  listPods,
  type Manifest,
  manifests,
  named,
  render,
  type Values,
} from "./chart.ts";

const MINIMAL = example("minimal");
const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
function budget(disruptionBudget: Values): Values {
  return { defaults: { disruptionBudget } };
}

function token(one: Values): Values {
  return { chains: { tokens: { "1": [one] } } };
}

function scaling(autoscaling: Values): Values {
  return { defaults: { autoscaling } };
}

function kafka(values: Values): Values {
  return { kafka: values };
}

function services(values: Values): Values {
  return { services: values };
}

/** How helm names a field that it refuses: before 3.18 with dots, since then as a JSON pointer. */
function matchRefusal(field: string, word: string): RegExp {
  const pointer = field.replace(/^|\./g, "/");
  return new RegExp(`- (at '${field && pointer}'|${field || "\\(root\\)"}): .*${word}`);
}

function unset(service: string): Values {
  return { postgres: { [service]: { existingSecret: "" } } };
}

describeWithHelm("the chart", () => {
  describe("refuses by name", () => {
    const wrong: [title: string, Values, field: string, unknown?: string][] = [
      ["a typo", { kafak: {} }, "", "kafak"],
      ["a typo in a service", { services: { gatway: {} } }, "services", "gatway"],
      [
        "a typo below a service",
        services({ payments: { replica: 2 } }),
        "services.payments",
        "replica",
      ],
      [
        "a typo in a database",
        { postgres: { payments: { pasword: "x" } } },
        "postgres.payments",
        "pasword",
      ],
      [
        "a password in values",
        { postgres: { payments: { password: "x" } } },
        "postgres.payments",
        "password",
      ],
      ["words for a number", { defaults: { replicas: "two" } }, "defaults.replicas"],
      ["no replica at all", services({ refunds: { replicas: 0 } }), "services.refunds.replicas"],
      ["brokers as one text", { kafka: { brokers: "kafka:9092" } }, "kafka.brokers"],
      ["a broker without port", { kafka: { brokers: ["kafka"] } }, "kafka.brokers.0"],
      ["an unknown mechanism", kafka({ sasl: { mechanism: "gssapi" } }), "kafka.sasl.mechanism"],
      ["an address without https", { publicUrl: "http://pay.example.com" }, "publicUrl"],
      [
        "an unknown TLS mode",
        { postgres: { defaults: { sslMode: "require" } } },
        "postgres.defaults.sslMode",
      ],
      ["a port out of range", { postgres: { chains: { port: 70_000 } } }, "postgres.chains.port"],
      ["a log level", { defaults: { logLevel: "verbose" } }, "defaults.logLevel"],
      ["a migration mode", { migrations: { mode: "auto" } }, "migrations.mode"],
      [
        "a digest that is none",
        services({ chains: { digest: "sha256:abc" } }),
        "services.chains.digest",
      ],
      ["a Secret's name", { keys: { existingSecret: "Pay Keys" } }, "keys.existingSecret"],
      ["an address of Redis in values", { redis: { url: "redis://r:6379" } }, "redis", "url"],
      [
        "a proxy's login in values",
        { webhooks: { proxy: { url: "http://pay:secret@proxy:3128" } } },
        "webhooks.proxy.url",
      ],
      [
        "the name of Redis's Secret",
        { redis: { existingSecret: "Pay_Redis" } },
        "redis.existingSecret",
      ],
      [
        "a variable's name",
        { defaults: { env: { "log-level": "x" } } },
        "defaults.env",
        "log-level",
      ],
      ["root", { podSecurity: { runAsUser: 0 } }, "podSecurity.runAsUser"],
      [
        "a memory size",
        { defaults: { resources: { limits: { memory: "lots" } } } },
        "defaults.resources.limits.memory",
      ],
      [
        "two disruption bounds",
        budget({ maxUnavailable: 1, minAvailable: 1 }),
        "defaults.disruptionBudget",
      ],
      [
        "a token without decimals",
        token({ symbol: "T", name: "T", address: ADDRESS }),
        "chains.tokens.1.0",
        "decimals",
      ],
      [
        "a node port too low",
        services({ gateway: { service: { nodePort: 80 } } }),
        "services.gateway.service.nodePort",
      ],
    ];
    test.each(wrong)("%s", async (_, values, field, unknown = "") => {
      await expect(render([MINIMAL, values])).rejects.toThrow(matchRefusal(field, unknown));
    });
  });

  describe("names what only the operator can know", () => {
    const missing: [string, Values, RegExp][] = [
      ["address", { publicUrl: "" }, /publicUrl: give the https address/],
      ["a proxy that speaks https", { trustedProxies: 0 }, /trustedProxies: at least 1/],
      ["a registry", { image: { registry: "" } }, /image\.registry: say where the images/],
      ["what KEDA asks", scaling({ mode: "keda" }), /autoscaling\.prometheusUrl: give/],
      [
        "as many partitions as replicas",
        scaling({ mode: "hpa", maxReplicas: 13 }),
        /at most kafka\.top/,
      ],
      ["a bound above the least", scaling({ mode: "hpa", maxReplicas: 1 }), /at least minReplicas/],
      ["a Gateway", { httpRoute: { enabled: true } }, /httpRoute\.parentRefs: name the Gateway/],
      ["brokers", { kafka: { brokers: [] } }, /kafka\.brokers: list at least one/],
      ["database", unset("payments"), /postgres\.payments\.existingSecret: .* key "url"/],
      ["keys", { keys: { existingSecret: "" } }, /keys\.keyPepper\.existingSecret.*"key-pepper"/],
      ["chains", { chains: { existingSecret: "" } }, /chains\.existingSecret: .* "providers"/],
      ["Kafka's login", kafka({ sasl: { mechanism: "" } }), /kafka\.sasl\.mechanism .*say how/],
      ["the Secret of it", kafka({ sasl: { existingSecret: "" } }), /kafka\.sasl\.existingSecret/],
      ["TLS to Kafka", kafka({ tls: { enabled: false } }), /kafka\.tls\.enabled: set it to true/],
      [
        "TLS for a password sent as it is",
        kafka({ tls: { enabled: false }, sasl: { mechanism: "plain" } }),
        /kafka\.tls\.enabled: set it to true/,
      ],
      [
        "the tokens of a caller",
        { keys: { existingSecret: "", refundsTokens: { existingSecret: "" } } },
        /keys\.refundsTokens\.existingSecret\): .*"refunds-tokens"/,
      ],
      [
        "the direct address beside a pooler",
        { postgres: { defaults: { pooler: "transaction" } } },
        /postgres\.payments\.migrate\.existingSecret: .*direct address under key "url"/,
      ],
      ["Kafka's key", kafka({ tls: { certKey: "tls.crt" } }), /kafka\.tls:/],
      [
        "a certificate of each service",
        { rpc: { tls: { existingSecrets: { chains: "pay-chains-rpc" } } } },
        /rpc\.tls\.existingSecrets\.payments\): .* as each service needs a certificate/,
      ],
      ["where runbooks are", { alerts: { enabled: true } }, /alerts\.runbookUrl: say where/],
      ["the Ingress's certificate", { ingress: { enabled: true } }, /ingress\.tls\.existingSecret/],
      [
        "one address of a proxy",
        { webhooks: { proxy: { url: "http://proxy:3128", existingSecret: "proxy" } } },
        /webhooks\.proxy: give url, or existingSecret/,
      ],
    ];
    test.each(missing)("%s", async (_, values, reason) => {
      await expect(render([MINIMAL, values])).rejects.toThrow(reason);
    });

    test("a broker without TLS or login is accepted only with kafka.insecure", async () => {
      const open = { tls: { enabled: false }, sasl: { mechanism: "" } };
      await expect(render([MINIMAL, kafka(open)])).rejects.toThrow("kafka.insecure");
      expect(await render([MINIMAL, kafka({ ...open, insecure: true })])).toContain(
        'KAFKA_INSECURE: "1"',
      );
    });

    test("behind a pooler, migrations take the direct address of their own Secret", async () => {
      const defaults = { host: "pooler.data.svc", user: "pay", pooler: "transaction" };
      const migrate = { existingSecret: "pay-direct", key: "url" };
      const all = await manifests(MINIMAL, { postgres: { defaults: { ...defaults, migrate } } });
      const variable = "PAYMENTS_DATABASE_URL";
      function given(pod: Manifest): Manifest {
        const { env } = pod.containers[0] as { env: Manifest[] };
        return env.find(({ name }) => name === variable) ?? {};
      }

      expect(given(named(all, "Deployment", "pay-payments").spec.template.spec).value).toBe(
        "postgres://pay@pooler.data.svc:5432/payments?sslmode=verify-full&pooler=transaction",
      );
      const pods = listPods(all).filter(({ name }) => name.startsWith("Job pay-payments-migrate"));
      expect(pods.map(({ pod }) => given(pod).valueFrom)).toEqual([
        { secretKeyRef: { name: "pay-direct", key: "url", optional: true } },
      ]);
    });

    test("a client certificate is a login to Kafka", async () => {
      const certificate = { existingSecret: "kafka", certKey: "tls.crt", keyKey: "tls.key" };
      const values = kafka({ tls: certificate, sasl: { mechanism: "", existingSecret: "" } });
      expect(await render([MINIMAL, values])).toContain("certFile");
    });

    test("all at once", async () => {
      const refused = await render([]).catch((error: Error) => error.message);
      for (const name of [
        "publicUrl",
        "kafka.brokers",
        "kafka.sasl",
        "postgres.webhooks",
        "keys.gatewayTokens",
      ]) {
        expect(refused).toContain(name);
      }
    });
  });
});
