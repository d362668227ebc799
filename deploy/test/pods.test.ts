// Rules for every pod of the chart, checked on the rendered manifests.
import { expect, test } from "@jest/globals";
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

const VARIANTS: [string, (string | Values)[]][] = [
  ["minimal", [example("minimal")]],
  ["ha", [example("ha")]],
  ["hooks", [example("minimal"), { migrations: { mode: "hook" } }]],
  ["a mesh", [example("minimal"), example("mesh")]],
  ["the platform's users", [example("minimal"), { podSecurity: { runAsUser: null } }]],
];

/** Pod Security Standards, level restricted, as far as a pod of ours could touch it; each breach is a line. */
function breachesOfRestricted(name: string, pod: Manifest): string[] {
  const security = pod.securityContext ?? {};
  const own = [
    [security.runAsNonRoot === true, "may run as root"],
    [security.runAsUser !== 0, "runs as root"],
    [security.seccompProfile?.type === "RuntimeDefault", "has no seccomp profile"],
    [!(pod.hostNetwork || pod.hostPID || pod.hostIPC), "uses the host"],
    [
      (pod.volumes ?? []).every((volume: Manifest) => volume.emptyDir || volume.secret),
      "mounts something else than a Secret or an emptyDir",
    ],
  ];
  const containers = [...(pod.initContainers ?? []), ...pod.containers].flatMap((one) => {
    const context = one.securityContext ?? {};
    return [
      [context.allowPrivilegeEscalation === false, "may escalate"],
      [context.capabilities?.drop?.join() === "ALL", "keeps capabilities"],
      [!context.capabilities?.add, "adds capabilities"],
      [context.privileged !== true, "is privileged"],
      [(one.ports ?? []).every((port: Manifest) => !port.hostPort), "takes a port of the host"],
    ];
  });
  return [...own, ...containers].flatMap(([holds, what]) => (holds ? [] : [`${name} ${what}`]));
}

/** Further rules of this project. */
function breachesOfOurs(name: string, pod: Manifest): string[] {
  const containers = pod.containers.flatMap((one: Manifest) => [
    [one.securityContext?.readOnlyRootFilesystem === true, "writes to its root file system"],
    [one.resources?.requests?.cpu && one.resources?.requests?.memory, "requests nothing"],
    [one.resources?.limits?.memory, "has no bound on memory"],
    [!/:(latest)?$/.test(one.image), "has no version"],
  ]);
  return [...containers, [pod.automountServiceAccountToken === false, "gets a token"]].flatMap(
    ([holds, what]) => (holds ? [] : [`${name} ${what}`]),
  );
}

describeWithHelm("pods", () => {
  test.each(VARIANTS)("all pass restricted pod security: %s", async (_, values) => {
    const pods = listPods(await manifests(...values));
    expect(pods.length).toBe(13); // six services, six migrations, the story
    expect(pods.flatMap(({ name, pod }) => breachesOfRestricted(name, pod))).toEqual([]);
    expect(pods.flatMap(({ name, pod }) => breachesOfOurs(name, pod))).toEqual([]);
  });

  test("the rules detect what they forbid", () => {
    const container = { image: "pay:latest", securityContext: { privileged: true } };
    const pod = { hostNetwork: true, containers: [container], volumes: [{ hostPath: {} }] };
    expect(breachesOfRestricted("x", pod)).toHaveLength(7);
    expect(breachesOfOurs("x", pod)).toHaveLength(5);
  });

  test.each(VARIANTS)("no credential is written anywhere: %s", async (_, values) => {
    const text = await render(values);
    const suspicious = text
      .split("\n")
      .filter((line) => /password|secret|pepper|sasl|:\/\/[^/]*:[^/]*@/i.test(line))
      .filter((line) => !ALLOWED.some((form) => form.test(line.trim())));
    expect(suspicious).toEqual([]);
  });

  test("every service has probes for start, readiness and liveness in its own protocol", async () => {
    const all = await manifests(example("minimal"));
    for (const { name, pod } of listPods(all.filter(({ kind }) => kind === "Deployment"))) {
      const [container] = pod.containers;
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
      const kind = name.endsWith("gateway") ? "httpGet" : "grpc";
      expect(probes.map((probe) => kind in probe)).toEqual([true, true, true]);
      // A pod may wait for its schema as long as the process itself does.
      expect(probes[0].periodSeconds * probes[0].failureThreshold).toBeGreaterThan(
        SCHEMA_WAIT_SECONDS,
      );
    }
  });

  test("a stop has the time it may take, and a rolling update never has fewer pods", async () => {
    const slow = { defaults: { drainSeconds: 7, stopSeconds: 40, preStopSleepSeconds: 3 } };
    const { spec } = named(await manifests(example("minimal"), slow), "Deployment", "pay-payments");
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(7 + 40 + 3 + 5);
    expect(spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds).toBe(3);
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  test("budgets and spreading come with the second replica, and a budget never blocks a drain", async () => {
    const one = await manifests(example("minimal"));
    expect(one.filter(({ kind }) => kind === "PodDisruptionBudget")).toEqual([]);
    const many = await manifests(example("ha"));
    const budgets = many.filter(({ kind }) => kind === "PodDisruptionBudget");
    expect(budgets.map(({ metadata }) => metadata.name)).toHaveLength(6);
    for (const { spec } of budgets) expect(spec.maxUnavailable).toBe(1);
    for (const deployment of many.filter(({ kind }) => kind === "Deployment")) {
      const spread: Manifest[] = deployment.spec.template.spec.topologySpreadConstraints;
      expect(spread.map(({ matchLabelKeys }) => matchLabelKeys)).toEqual([
        ["pod-template-hash"],
        ["pod-template-hash"],
      ]);
    }
  });

  test("callers see every pod of a service: Services are headless but the gateway's", async () => {
    const services = (await manifests(example("minimal"))).filter(({ kind }) => kind === "Service");
    const headless = services.filter(({ spec }) => spec.clusterIP === "None");
    expect(headless).toHaveLength(5);
    expect(services.find((one) => !headless.includes(one))?.metadata.name).toBe("pay-gateway");
  });

  test("each service has a ServiceAccount with common and own annotations, unless one name is given", async () => {
    const own = {
      serviceAccount: { annotations: { all: "1" } },
      services: { chains: { serviceAccountAnnotations: { role: "signer" } } },
    };
    const all = await manifests(example("minimal"), own);
    const accounts = all.filter(({ kind }) => kind === "ServiceAccount");
    const used = all
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template.spec.serviceAccountName);
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual(used);
    expect(new Set(used).size).toBe(6);
    expect(named(all, "ServiceAccount", "pay-chains").metadata.annotations).toEqual({
      all: "1",
      role: "signer",
    });
    const jobs = all.filter(({ kind }) => kind === "Job").map(({ spec }) => spec.template.spec);
    expect(jobs.map(({ serviceAccountName }) => serviceAccountName)).toEqual(used);
    const one = await manifests(example("minimal"), { serviceAccount: { name: "shop" } });
    expect(one.filter(({ kind }) => kind === "ServiceAccount")).toHaveLength(1);
    expect(new Set(listPods(one).map(({ pod }) => pod.serviceAccountName))).toEqual(
      new Set(["shop", undefined]),
    );
  });

  test("a changed setting starts new pods of that service and of no other", async () => {
    async function checksums(...values: Values[]) {
      return Object.fromEntries(
        (await manifests(example("minimal"), ...values))
          .filter(({ kind }) => kind === "Deployment")
          .map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.template)]),
      );
    }

    const before = await checksums();
    const after = await checksums({
      services: { refunds: { env: { REFUNDS_TIMEOUT_HOURS: 24 } } },
    });
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    expect(changed).toEqual(["pay-refunds"]);
  });

  test("a migration Job is the same Job again until its pod would differ", async () => {
    async function jobs(...values: Values[]) {
      return (await manifests(example("minimal"), ...values))
        .filter(({ kind }) => kind === "Job")
        .map(({ metadata }) => metadata.name as string);
    }

    const before = await jobs();
    expect(await jobs({ services: { payments: { replicas: 2 } } })).toEqual(before);
    for (const values of [{ image: { tag: "9" } }, { migrations: { runId: "2" } }]) {
      expect((await jobs(values)).filter((name) => before.includes(name))).toEqual([]);
    }
  });

  test("a hook refers to nothing of the release, as nothing is there when it runs", async () => {
    const values = { migrations: { mode: "hook" } };
    const all = await manifests(example("minimal"), values);
    const own = all.filter(({ kind }) => ["ConfigMap", "ServiceAccount"].includes(kind));
    const hooks = all.filter(({ kind }) => kind === "Job");
    expect(hooks).toHaveLength(6);
    for (const { metadata, spec } of hooks) {
      expect(metadata.annotations["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
      expect(spec.template.spec.serviceAccountName).toBeUndefined();
      const text = JSON.stringify(spec.template.spec);
      for (const { metadata: mine } of own) expect(text).not.toContain(`"name":"${mine.name}"`);
    }
    const none = await manifests(example("minimal"), { migrations: { mode: "none" } });
    expect(none.filter(({ kind }) => kind === "Job")).toEqual([]);
  });
});

/** The time for which a process waits for its schema before it ends. */
const SCHEMA_WAIT_SECONDS = 240;

/** Lines that name a Secret or a place in it, and contain no credential. */
const ALLOWED = [
  /^secretKeyRef: \{ name: "[a-z-]+", key: "[a-z-]+", optional: true \}$/,
  /^secret: \{ secretName: "[a-z-]+", optional: true, defaultMode: 288 \}$/,
  /^secretName: "pay-tls"$/,
  /^imagePullSecrets:$/,
  /^- name: [A-Z_]+$/,
  /^value: "key [a-z-]+ of Secret [a-z-]+"$/,
  /^KAFKA_SASL_MECHANISM: "scram-sha-512"$/,
];
