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
import { expect, test } from "@jest/globals";
import { SERVICES } from "../../tools/images.ts";
import { settleValues } from "../../tools/release.ts";
import { describeWithApiSchemas, findApiFaults } from "./api-schemas.ts";
import {
  CHART,
  describeWithHelm,
  EXAMPLES,
  example,
  helm,
  type Manifest,
  manifests,
  named,
  PURPOSES,
  render,
} from "./chart.ts";
import { writeValuesTable } from "./values-table.ts";

const MINIMAL = example("minimal");
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
        "unknown cert-manager.io/v1 Certificate",
        "unknown cert-manager.io/v1 Issuer",
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
    const single = await manifests(MINIMAL, {
      defaults: { autoscaling: { mode: "hpa", minReplicas: 1 } },
    });
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
