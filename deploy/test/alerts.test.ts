// The alerts for operators, as the chart renders them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { describeWithHelm, example, type Manifest, manifests, named } from "./chart.ts";

const METRIC = /\b[a-z]+(?:_[a-z]+)+(?=[{|"])/g;
const REGISTERED = /^\s*name: "([a-z_]+)",$/gm;

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

describeWithHelm("the alerts", () => {
  test("are left out unless they are asked for, because they need the Prometheus operator", async () => {
    const all = await manifests(example("minimal"));
    expect(all.filter(({ kind }) => kind === "PrometheusRule")).toEqual([]);
  });

  test("ask only for metrics that a service has, of this release's namespace, and say what is wrong", async () => {
    const alerts = { enabled: true, labels: { release: "prometheus" } };
    const rule = named(await manifests(example("minimal"), { alerts }), "PrometheusRule", "pay");
    expect(rule.metadata.labels).toMatchObject(alerts.labels);
    const rules: Manifest[] = rule.spec.groups.flatMap((group: Manifest) => group.rules);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const registered = registeredMetrics();
    for (const { alert, expr, labels, annotations } of rules) {
      const metrics =
        String(expr)
          .replace(/__name__=~/g, "")
          .match(METRIC) ?? [];
      expect([alert, metrics.length > 0, metrics.filter((name) => !registered.has(name))]).toEqual([
        alert,
        true,
        [],
      ]);
      expect(expr).toContain('namespace="default"');
      expect(["warning", "critical"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z]/);
    }
  });
});
