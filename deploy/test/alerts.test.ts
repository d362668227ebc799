// The alerts for operators, as the chart renders them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { describeUnless } from "@pay/testing";
import { ALERT_CASES } from "./alert-cases.ts";
import { describeWithHelm, example, type Manifest, manifests, named } from "./chart.ts";
import { type Asked, askPrometheus, checkRules, missingPromtool, testRules } from "./prometheus.ts";
import { renderMonitoring } from "./queries.ts";

const METRIC = /\b[a-z]+(?:_[a-z]+)+(?=\{)/g;
const RECORDED = /\bpay:\w+:\w+(?=\{)/g;
const REGISTERED = /^\s*name: "([a-z_]+)",$/gm;
/** Of Kubernetes and of the library of metrics. */
const FOREIGN = /^(kube|kubelet|process)_/;
const SELECTED = { release: "prometheus" };
const RUNBOOKS = "docs/runbooks";
const RUNBOOK_URL = "https://wiki.example.com/pay/runbooks/";
const RUNBOOK_LINES_MAX = 30;

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

describeWithHelm("the alerts", () => {
  let groups: Manifest[];
  let rules: Manifest[];
  /** By name, e.g. pay:api_errors:ratio_rate5m. */
  let records: Map<string, string>;
  beforeAll(async () => {
    const alerts = { enabled: true, labels: SELECTED, runbookUrl: RUNBOOK_URL };
    const rule = named(await manifests(example("minimal"), { alerts }), "PrometheusRule", "pay");
    expect(rule.metadata.labels).toMatchObject(SELECTED);
    groups = rule.spec.groups;
    const all: Manifest[] = groups.flatMap((group) => group.rules);
    rules = all.filter(({ alert }) => alert !== undefined);
    records = new Map(all.flatMap(({ record, expr }) => (record ? [[record, expr]] : [])));
  });

  /** Also those of recorded series. */
  function listSources(expr: string): string[] {
    const recorded = [...new Set(expr.match(RECORDED))].map((name) => records.get(name) ?? name);
    return listMetrics([expr, ...recorded].join(" "));
  }

  test("and the scraping of metrics are off by default, because they need the Prometheus operator", async () => {
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

  test("ask only for metrics that exist, of this release's namespace, and say what is wrong", () => {
    const names = rules.map(({ alert, labels }) => `${alert} ${labels.severity}`);
    expect(new Set(names).size).toBe(names.length);
    const registered = registeredMetrics();
    for (const { alert, expr, labels, annotations } of rules) {
      const metrics = listSources(expr);
      const unknown = metrics
        .map((name) => name.replace(/_(bucket|count)$/, ""))
        .filter((name) => !registered.has(name) && !FOREIGN.test(name));
      expect([alert, metrics.length > 0, unknown]).toEqual([alert, true, []]);
      expect(expr).toMatch(/namespace=~?"default"/);
      expect(["warning", "critical"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z]/);
      expect(annotations.runbook_url).toBe(`${RUNBOOK_URL}${alert}.md`);
    }
  });

  test("have a short page each, with its metrics, what to check and what to do; no page is left over", () => {
    const pages = readdirSync(RUNBOOKS).map((name) => name.replace(/\.md$/, ""));
    expect(pages.sort()).toEqual([...new Set(rules.map(({ alert }) => alert))].sort());
    for (const { alert, expr } of rules) {
      const page = readFileSync(join(RUNBOOKS, `${alert}.md`), "utf8");
      expect(page.match(/^#.*$/gm)).toEqual([`# ${alert}`, "## Symptom", "## Check", "## Do"]);
      expect(page.split("\n").length).toBeLessThan(RUNBOOK_LINES_MAX);
      const unsaid = listSources(expr).filter((name) => !page.includes(`\`${name}`));
      expect([alert, unsaid]).toEqual([alert, []]);
      for (const [, path = ""] of page.matchAll(/\]\(([^)#]*)[^)]*\)/g)) {
        expect([alert, path, existsSync(join(RUNBOOKS, path))]).toEqual([alert, path, true]);
      }
    }
  });

  test("come with six dashboards that Grafana's sidecar finds and whose recorded series exist", async () => {
    const all = await manifests(example("minimal"), { dashboards: { enabled: true } });
    const dashboards = all.filter(({ metadata }) => metadata.labels.grafana_dashboard === "1");
    expect(dashboards.map(({ metadata }) => metadata.name)).toEqual(
      ["api", "chains", "database", "kafka", "overview", "webhooks"].map(
        (name) => `pay-dashboard-${name}`,
      ),
    );
    const { panels } = await renderMonitoring();
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { gridPos, targets } of panels) {
      expect(Object.keys(gridPos).sort()).toEqual(["h", "w", "x", "y"]);
      const recorded = targets.flatMap(({ expr }) => expr.match(RECORDED) ?? []);
      expect(recorded.filter((name) => !records.has(name))).toEqual([]);
    }
  });

  describeUnless(missingPromtool(), "as Prometheus reads them", () => {
    test("are rules", () => {
      expect(checkRules(groups)).toContain(`${rules.length + records.size} rules found`);
    });

    test("about a count fire at its first event and at each further one, and fall silent afterwards", () => {
      const questions = rules.flatMap(({ alert, expr }): Asked[] => {
        const isCount = expr.includes(" unless ");
        const counters = listMetrics(expr).filter((name) => isCount && name.endsWith("_total"));
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

    /** The rule with its recorded series written out, as promtool is asked about one expression. */
    function readRule(name: string, severity = "critical"): string {
      const rule = rules.find(
        ({ alert, labels }) => alert === name && labels.severity === severity,
      );
      return `${rule?.expr}`.replaceAll(/(pay:\w+:\w+)\{[^}]*\}/g, (_, record: string) => {
        return `(${records.get(record)})`;
      });
    }

    test("about a service fire when it is away, also beside the others", () => {
      const expr = readRule("PayServiceMissing");
      const services = ["gateway", "payments", "customers", "refunds", "chains", "webhooks"];
      const ask = (missing: string[], answers: boolean): Asked => ({
        name: `without ${missing.join(" and ") || "none"}`,
        series: Object.fromEntries(
          services.map((service) => [
            `build_info{namespace="default", pod="${service}-1", service="${service}"}`,
            missing.includes(service) ? "1x10" : "1x60",
          ]),
        ),
        expr,
        at: 30,
        answers,
      });
      const questions = [...services.map((one) => ask([one], true)), ask(services, true)];
      expect(askPrometheus([...questions, ask([], false)])).toContain("SUCCESS");
    });

    test("about objectives fire on a burst and a slow loss, not on one error among thousands nor afterwards", () => {
      const count = "http_server_request_duration_seconds_count";
      const series = (good: string, bad: string) => ({
        [`${count}{namespace="default", pod="1", status_code="201"}`]: good,
        [`${count}{namespace="default", pod="1", status_code="503"}`]: bad,
      });
      const ask = (name: string, severity: string, answers: boolean) => ({
        name: `${name}: ${severity}`,
        expr: readRule("PayApiErrors", severity),
        answers,
      });
      const hour = 60;
      const outage = series("0+600x180 108000+0x10", "0x180 0+600x10");
      const leak = series("0+600x2000", "0+3x2000");
      const healed = series("0+600x180 108000+0x10 108000+600x60", "0x180 0+600x10 6000x60");
      const questions: Asked[] = [
        { ...ask("two minutes of an outage", "critical", true), series: outage, at: 182 },
        { ...ask("0.5 % for a day", "critical", false), series: leak, at: 24 * hour },
        { ...ask("0.5 % for a day", "warning", true), series: leak, at: 24 * hour },
        {
          ...ask("0.05 %", "critical", false),
          series: series("0+2000x2000", "0+1x2000"),
          at: 1_500,
        },
        {
          ...ask("0.05 %", "warning", false),
          series: series("0+2000x2000", "0+1x2000"),
          at: 1_500,
        },
        {
          ...ask("no errors at all", "critical", false),
          series: series("0+600x300", "_x300"),
          at: 200,
        },
        { ...ask("an outage that is over", "critical", false), series: healed, at: 230 },
        {
          ...ask("nothing but errors", "critical", true),
          series: { [`${count}{namespace="default", status_code="504"}`]: "0+60x10" },
          at: 5,
        },
      ];
      expect(askPrometheus(questions)).toContain("SUCCESS");
    });

    test("fire within their minutes of the fault, and stay silent for an hour where it is small, short or over", () => {
      expect(Object.keys(ALERT_CASES).sort()).toEqual(
        rules.map(({ alert, labels }) => `${alert} ${labels.severity}`).sort(),
      );
      expect(testRules(groups, ALERT_CASES)).toContain("SUCCESS");
    });
  });
});
