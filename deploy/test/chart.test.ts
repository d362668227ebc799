import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { SERVICES } from "../../tools/images.ts";
import { settleValues } from "../../tools/release.ts";
import { describeWithApiSchemas, findApiFaults } from "./api-schemas.ts";
import {
  CHART,
  describeWithHelm,
  EXAMPLES,
  example,
  helm,
  listPods,
  type Manifest,
  manifests,
  named,
  PURPOSES,
  render,
  type Values,
} from "./chart.ts";
import { writeValuesTable } from "./values-table.ts";

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
function saidOf(field: string, word: string): RegExp {
  const pointer = field.replace(/^|\./g, "/");
  return new RegExp(`- (at '${field && pointer}'|${field || "\\(root\\)"}): .*${word}`);
}

function unset(service: string): Values {
  return { postgres: { [service]: { existingSecret: "" } } };
}

describeWithHelm("the chart", () => {
  test.each(EXAMPLES)("example %s passes helm's own check", async (name) => {
    const said = await helm("lint", "--strict", CHART, "-f", example(name));
    expect(said).toContain("0 chart(s) failed");
  });

  // UPDATE_GOLDENS=1 writes them again; the difference is then reviewed like any other change.
  test.each(EXAMPLES)("example %s renders what was reviewed, twice the same", async (name) => {
    const golden = resolve(`deploy/test/goldens/${name}.yaml`);
    const rendered = await render([example(name)]);
    expect(await render([example(name)])).toBe(rendered);
    if (process.env.UPDATE_GOLDENS === "1") writeFileSync(golden, rendered);
    expect(rendered).toBe(existsSync(golden) ? readFileSync(golden, "utf8") : "");
  });

  test("every example is there and renders, and has one purpose that it names", async () => {
    const files = readdirSync(join(CHART, "examples")).map((name) => name.replace(/\.yaml$/, ""));
    expect(files.sort()).toEqual([...EXAMPLES, ...PURPOSES].sort());
    for (const name of PURPOSES) {
      expect(readFileSync(example(name), "utf8")).toMatch(/^# With minimal\.yaml: /);
      expect(await render([MINIMAL, example(name)])).not.toBe(await render([MINIMAL]));
    }
  });

  describeWithApiSchemas("as Kubernetes reads it", () => {
    test("every object is one of the API, in the oldest version that the chart takes and in a new one", async () => {
      const all = [
        ...(await Promise.all(EXAMPLES.map((name) => manifests(example(name))))),
        ...(await Promise.all(PURPOSES.map((name) => manifests(MINIMAL, example(name))))),
      ].flat();
      expect(await findApiFaults(all, ["1.27", "1.34"])).toEqual([
        "unknown cloud.google.com/v1 BackendConfig",
        "unknown external-secrets.io/v1 ExternalSecret",
        "unknown gateway.networking.k8s.io/v1 HTTPRoute",
        "unknown keda.sh/v1alpha1 ScaledObject",
        "unknown monitoring.coreos.com/v1 PodMonitor",
        "unknown monitoring.coreos.com/v1 PrometheusRule",
        "unknown route.openshift.io/v1 Route",
      ]);
      const typo = { ...all.find(({ kind }) => kind === "Service"), spek: {} };
      expect(await findApiFaults([typo], ["1.34"])).toHaveLength(1);
    });
  });

  // UPDATE_GOLDENS=1 writes it again.
  test("its README has every value with its comment", () => {
    const table = writeValuesTable(readFileSync(join(CHART, "values.yaml"), "utf8"));
    const file = join(CHART, "README.md");
    if (process.env.UPDATE_GOLDENS === "1") writeFileSync(file, table);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(table);
  });

  test("a value that has moved is refused with its new name, also below another one", async () => {
    const chart = mkdtempSync(join(tmpdir(), "pay-moved-"));
    cpSync(CHART, chart, { recursive: true });
    writeFileSync(join(chart, "moved.yaml"), "host: publicUrl\nimage.name: image.repository\n");
    const path = join(chart, "values.schema.json");
    const schema = JSON.parse(readFileSync(path, "utf8"));
    schema.properties.host = {};
    schema.properties.image.properties.name = {};
    writeFileSync(path, JSON.stringify(schema));
    expect(await render([MINIMAL], { chart })).toContain("kind: Deployment");
    const refused = await render([MINIMAL, { host: "a", image: { name: "b" } }], { chart }).catch(
      (error: Error) => error.message,
    );
    expect(refused).toContain("host: it has moved to publicUrl, see UPGRADING.md");
    expect(refused).toContain("image.name: it has moved to image.repository");
    rmSync(chart, { recursive: true, force: true });
  });

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
      await expect(render([MINIMAL, values])).rejects.toThrow(saidOf(field, unknown));
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

  test("renders below a parent chart with globals of others, and not at all when that turns it off", async () => {
    const parent = await mkdtemp(join(tmpdir(), "pay-parent-"));
    const chart = [
      "apiVersion: v2",
      "name: parent",
      "version: 1.0.0",
      "dependencies:",
      `  - { name: pay, version: "*", repository: "file://${CHART}", condition: pay.enabled }`,
    ];
    writeFileSync(join(parent, "Chart.yaml"), `${chart.join("\n")}\n`);
    mkdirSync(join(parent, "charts"));
    await helm("package", CHART, "-d", join(parent, "charts"));
    const own = { publicUrl: "https://shop.example.com", chains: { existingSecret: "c" } };
    const secret = { existingSecret: "db" };
    const pay = {
      ...own,
      kafka: { brokers: ["k:9093"], sasl: { mechanism: "plain", existingSecret: "kafka" } },
      keys: { existingSecret: "keys" },
      postgres: { defaults: secret },
    };
    const global = { imageRegistry: "mirror.example.com", storageClass: "fast", other: { a: 1 } };
    const on = await render([{ global, pay: { ...pay, enabled: true } }], { chart: parent });
    expect(on).toContain('image: "mirror.example.com/pay/gateway:');
    const off = await render([{ global, pay: { enabled: false } }], { chart: parent });
    expect(off.trim()).toBe("");
    rmSync(parent, { recursive: true, force: true });
  });

  test("large numbers stay as they were written", async () => {
    const all = await manifests(MINIMAL, {
      image: { tag: 20_260_101 },
      defaults: { env: { BIG: 10_000_000, HALF: 0.5, YES: true } },
      podSecurity: { runAsUser: 1_000_660_000 },
      credentialsRevision: 1_763_770_000,
    });
    const { data } = named(all, "ConfigMap", "pay-payments");
    expect(data).toMatchObject({ BIG: "10000000", HALF: "0.5", YES: "true" });
    const { metadata, spec } = named(all, "Deployment", "pay-payments").spec.template;
    expect(spec.securityContext.runAsUser).toBe(1_000_660_000);
    expect(spec.containers[0].image).toBe("registry.example.com/pay/payments:20260101");
    expect(metadata.annotations["pay/credentials-revision"]).toBe("1763770000");
  });

  test("a service's own disruption budget replaces the default one, as Kubernetes takes one bound", async () => {
    const payments = { replicas: 3, disruptionBudget: { minAvailable: 2 } };
    const all = await manifests(MINIMAL, {
      defaults: { replicas: 2 },
      services: { payments },
    });
    function readBounds(name: string) {
      const { maxUnavailable, minAvailable } = named(all, "PodDisruptionBudget", name).spec;
      return [maxUnavailable, minAvailable];
    }

    expect(readBounds("pay-payments")).toEqual([undefined, 2]);
    expect(readBounds("pay-refunds")).toEqual([1, undefined]);
  });

  test("images that are on the nodes, or whose repository names a registry, need no other", async () => {
    const registry = "";
    expect(await render([MINIMAL, { image: { registry, local: true } }])).toContain(
      '"pay/gateway:',
    );
    const repository = "registry.example.com/pay";
    const named = await render([MINIMAL, { image: { registry, repository } }]);
    expect(named).toContain(`"${repository}/gateway:`);
  });

  test("the chart of a release names its registry, and each image by its digest", async () => {
    const chart = mkdtempSync(join(tmpdir(), "pay-chart-"));
    cpSync(CHART, chart, { recursive: true });
    const path = join(chart, "values.yaml");
    const digests = new Map(SERVICES.map((name, at) => [name, `sha256:${`${at}`.repeat(64)}`]));
    const values = settleValues(readFileSync(path, "utf8"), "registry.example.com/shop", digests);
    expect(values).toContain('\n  registry: "registry.example.com/shop"\n');
    writeFileSync(path, values);
    const images = new Set((await render([MINIMAL], { chart })).match(/(?<=image: ")[^"]+/g));
    expect([...images].toSorted()).toEqual(
      [...digests].map(([name, digest]) => `registry.example.com/pay/${name}@${digest}`).toSorted(),
    );
    rmSync(chart, { recursive: true, force: true });
  });

  test("an autoscaler has the number of replicas to itself, and budgets count its least", async () => {
    for (const name of ["hpa", "keda"] as const) {
      const all = await manifests(MINIMAL, example(name));
      const deployments = all.filter(({ kind }) => kind === "Deployment");
      const scalers = all.filter(({ kind }) =>
        /^(HorizontalPodAutoscaler|ScaledObject)$/.test(kind),
      );
      const scaled = scalers.map(({ spec }) => spec.scaleTargetRef.name);
      const own = deployments.filter(({ spec }) => spec.replicas === undefined);
      expect(own.map(({ metadata }) => metadata.name)).toEqual(scaled);
      expect(scaled).toHaveLength(name === "hpa" ? 6 : 5);
      expect(all.filter(({ kind }) => kind === "PodDisruptionBudget")).toHaveLength(6);
    }
    const single = await manifests(MINIMAL, scaling({ mode: "hpa", minReplicas: 1 }));
    expect(single.filter(({ kind }) => kind === "PodDisruptionBudget")).toEqual([]);
  });

  test("KEDA scales consumers by the lag of their group, and webhooks by age too", async () => {
    const all = await manifests(MINIMAL, example("keda"));
    const queries = (name: string) =>
      named(all, "ScaledObject", name)
        .spec.triggers.filter(({ type }: Manifest) => type === "prometheus")
        .map(({ metadata }: Manifest) => metadata.query);
    const lag = (group: string) =>
      `sum(max by (topic, partition) (kafka_consumer_lag{namespace="default", group="${group}"}))`;
    expect(queries("pay-gateway")).toEqual([]);
    expect(queries("pay-payments")).toEqual([lag("payments")]);
    expect(queries("pay-webhooks")).toEqual([
      'max(webhook_queue_oldest_age_seconds{namespace="default"})',
      lag("webhooks"),
    ]);
  });

  test("a service's own values win over the defaults, key by key", async () => {
    const resources = { requests: { cpu: "2" } };
    const all = await manifests(MINIMAL, { services: { payments: { replicas: 3, resources } } });
    const own = named(all, "Deployment", "pay-payments").spec;
    expect(own.replicas).toBe(3);
    expect(own.template.spec.containers[0].resources).toEqual({
      requests: { cpu: "2", memory: "128Mi" },
      limits: { memory: "384Mi" },
    });
    expect(named(all, "Deployment", "pay-refunds").spec.replicas).toBe(1);
  });
});
