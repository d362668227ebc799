// The rules and dashboards of the chart.
import { example, type Manifest, manifests, named } from "./chart.ts";

const FOREIGN = /\b(kube|kubelet)_/;
const RECORDED = /\bpay:\w+:\w+\{/;

export interface Panel {
  title: string;
  gridPos: Record<string, number>;
  targets: { expr: string }[];
}

/** Everything about metrics that the chart can install, of a release in the namespace `default`. */
export async function renderMonitoring(): Promise<{ groups: Manifest[]; panels: Panel[] }> {
  const all = await manifests(example("minimal"), {
    alerts: { enabled: true, runbookUrl: "https://wiki.example.com/runbooks" },
    dashboards: { enabled: true },
  });
  const { groups } = named(all, "PrometheusRule", "pay").spec;
  const dashboards = all.filter(({ metadata }) => metadata.labels?.grafana_dashboard === "1");
  const panels = dashboards.flatMap(({ data }) => {
    return Object.values<string>(data).flatMap((text) => JSON.parse(text).panels as Panel[]);
  });
  return { groups, panels };
}

/** Those about metrics of the product: Kubernetes has its own, and recorded series follow from others. */
export async function listQueries(): Promise<string[]> {
  const { groups, panels } = await renderMonitoring();
  const rules = groups.flatMap(({ rules }) => rules.map(({ expr }: Manifest) => expr as string));
  const targets = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [...rules, ...targets].filter((expr) => !FOREIGN.test(expr) && !RECORDED.test(expr));
}
