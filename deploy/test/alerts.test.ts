// The alerts for operators, as the chart renders them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { describeUnless } from "@pay/testing";
import { describeWithHelm, example, type Manifest, manifests, named } from "./chart.ts";
import { type Asked, askPrometheus, checkRules, missingPromtool } from "./prometheus.ts";

const METRIC = /\b[a-z]+(?:_[a-z]+)+(?=\{)/g;
const REGISTERED = /^\s*name: "([a-z_]+)",$/gm;
const SELECTED = { release: "prometheus" };
const GUIDE = "docs/operations.md";

function registeredMetrics(): Set<string> {
  const files = ["services", "libs"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /^[a-z]+\/src\/.*\.ts$/.test(path))
      .map((path) => join(folder, path)),
  );
  return new Set(
    files.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(REGISTERED)].map(([, name]) => name ?? ""),
    ),
  );
}

function listMetrics(expr: string): string[] {
  return [...new Set(expr.match(METRIC))];
}

/** By the first cell of the table of what needs attention, which names alerts. */
function guideRows(): Map<string, string> {
  const rows = readFileSync(GUIDE, "utf8").matchAll(/^\| ((?:`Pay\w+`(?:, )?)+) +\| (.*)$/gm);
  return new Map(
    [...rows].flatMap(([, names = "", row = ""]) =>
      [...names.matchAll(/Pay\w+/g)].map(([name]) => [name, row] as const),
    ),
  );
}

describeWithHelm("the alerts", () => {
  let groups: Manifest[];
  let rules: Manifest[];
  beforeAll(async () => {
    const alerts = { enabled: true, labels: SELECTED };
    const rule = named(await manifests(example("minimal"), { alerts }), "PrometheusRule", "pay");
    expect(rule.metadata.labels).toMatchObject(SELECTED);
    groups = rule.spec.groups;
    rules = groups.flatMap((group) => group.rules);
  });

  test("and the reading of metrics are left out unless they are asked for, because they need the Prometheus operator", async () => {
    const kinds = (await manifests(example("minimal"))).map(({ kind }) => kind);
    expect(kinds).not.toContain("PrometheusRule");
    expect(kinds).not.toContain("PodMonitor");
  });

  test("have what they ask for: a PodMonitor selects the port of metrics of every pod of this release", async () => {
    const podMonitor = { enabled: true, labels: SELECTED };
    const all = await manifests(example("minimal"), { podMonitor });
    const { metadata, spec } = named(all, "PodMonitor", "pay");
    expect(metadata.labels).toMatchObject(SELECTED);
    const [{ port }] = spec.podMetricsEndpoints;
    const deployments = all.filter(({ kind }) => kind === "Deployment");
    expect(deployments).toHaveLength(6);
    for (const { spec: of } of deployments) {
      expect(of.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      const ports: Manifest[] = of.template.spec.containers[0].ports;
      expect(ports.map(({ name }) => name)).toContain(port);
    }
  });

  test("ask only for metrics that a service has, of this release's namespace, and say what is wrong", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const registered = registeredMetrics();
    for (const { alert, expr, labels, annotations } of rules) {
      const metrics = listMetrics(expr);
      const unknown = metrics.filter((name) => !registered.has(name));
      expect([alert, metrics.length > 0, unknown]).toEqual([alert, true, []]);
      expect(expr).toContain('namespace="default"');
      expect(["warning", "critical"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z]/);
    }
  });

  test("are in the operator's guide by name, with the metrics they ask for and what to do", () => {
    const rows = guideRows();
    expect([...rows.keys()].sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, expr } of rules) {
      const row = rows.get(alert) ?? "";
      const unsaid = listMetrics(expr).filter((name) => !row.includes(`\`${name}\``));
      expect([alert, unsaid]).toEqual([alert, []]);
    }
  });

  describeUnless(missingPromtool(), "as Prometheus reads them", () => {
    test("are rules", () => {
      expect(checkRules(groups)).toContain(`${rules.length} rules found`);
    });

    test("about a count fire at its first event and at each further one, and fall silent afterwards", () => {
      const questions = rules.flatMap(({ alert, expr }): Asked[] => {
        const counters = listMetrics(expr).filter((name) => name.endsWith("_total"));
        function ask(what: string, values: string, at: number, answers: boolean): Asked[] {
          const named = counters.map((name) => {
            return [`${name}{namespace="default", pod="pay-1", chain="1"}`, values] as const;
          });
          const each = named.map((one) => Object.fromEntries([one]));
          return [...each, Object.fromEntries(named)].map((series) => ({
            name: `${alert}: ${what} of ${Object.keys(series).join(" and ")}`,
            series,
            expr,
            at,
            answers,
          }));
        }

        if (counters.length === 0) return [];
        return [
          ...ask("the first event", "_x20 1x20", 21, true),
          ...ask("one more event", "3x200 4x20", 202, true),
          ...ask("no event for hours", "3x300", 280, false),
        ];
      });
      expect(questions.length).toBeGreaterThan(6 * 3);
      expect(askPrometheus(questions)).toContain("SUCCESS");
    });

    test("say when there are no metrics at all", () => {
      const { expr } = rules.find(({ alert }) => alert === "PayMetricsMissing") ?? {};
      const series = 'outbox_oldest_age_seconds{namespace="default", pod="pay-1"}';
      const ask = (name: string, values: string, answers: boolean): Asked => {
        return { name, series: { [series]: values }, expr, at: 30, answers };
      };
      expect(
        askPrometheus([ask("read", "0x60", false), ask("no longer read", "0x10", true)]),
      ).toContain("SUCCESS");
    });
  });
});
