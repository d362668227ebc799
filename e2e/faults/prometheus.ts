// A real Prometheus beside the product, with the rules of the chart in which time runs ten times as fast.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leasePort } from "@pay/embedded";
import type { Product } from "@pay/standalone";
import { until } from "@pay/testing";
import type { Manifest } from "../../deploy/test/chart.ts";

const SPEED = 10;
const DURATION = /\b(\d+)(s|m|h|d)\b/g;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** In ranges and offsets; thresholds are plain numbers and stay. */
const RANGES = /\[[^\]]*\]|offset \w+/g;
const TIMEOUT_MS = 5_000;

export interface Prometheus {
  /** Alerts that fire, with the service where they name one. */
  listFiring(): Promise<string[]>;
  /** How many series the query returns. */
  count(query: string): Promise<number>;
  stop(): Promise<void>;
}

function speedUp(text: string): string {
  return text.replaceAll(DURATION, (_, count: string, unit: string) => {
    return `${Math.ceil((Number(count) * (SECONDS[unit] ?? 0)) / SPEED)}s`;
  });
}

function speedUpRule(rule: Manifest): Manifest {
  const expr = `${rule.expr}`.replaceAll(RANGES, speedUp);
  return { ...rule, expr, ...(rule.for !== undefined && { for: speedUp(rule.for) }) };
}

export async function startPrometheus(groups: Manifest[], product: Product): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "pay-prometheus-"));
  const write = (name: string, content: object) =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  const rules = groups.map(({ name, rules }) => ({ name, rules: rules.map(speedUpRule) }));
  write("rules.json", { groups: rules });
  const targets = [...product.children.values()].map(({ name, adminUrl }) => ({
    targets: [new URL(adminUrl).host],
    labels: { namespace: "default", pod: `${name}-1` },
  }));
  write("prometheus.json", {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: [join(folder, "rules.json")],
    scrape_configs: [{ job_name: "pay", static_configs: targets }],
  });
  const address = `127.0.0.1:${await leasePort()}`;
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.json")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  async function get(path: string): Promise<Manifest> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`http://${address}/api/v1/${path}`, { signal });
    const { data } = (await response.json()) as Manifest;
    return data;
  }

  await until(() => get("status/runtimeinfo").catch(() => undefined), { what: "Prometheus" });
  return {
    listFiring: async () => {
      const { alerts } = await get("alerts");
      const firing = (alerts as Manifest[]).filter(({ state }) => state === "firing");
      return [
        ...new Set(
          firing.map(({ labels }) => [labels.alertname, labels.service].filter(Boolean).join(" ")),
        ),
      ];
    },
    count: async (query) => (await get(`query?query=${encodeURIComponent(query)}`)).result.length,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
