// npm run faults -- --alerts: which alerts fire beside each fault of the distributed product, as a real Prometheus sees
// it. Each row begins with a Prometheus that knows nothing, so that no alert of the row before is left.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Manifest } from "../../deploy/test/chart.ts";
import { type Panel, renderMonitoring } from "../../deploy/test/queries.ts";
import { type Cluster, startCluster } from "../harness/distributed.ts";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { startLoad } from "./load.ts";
import { startPrometheus } from "./prometheus.ts";
import { ROWS, type Row, type Stage } from "./rows.ts";

const WARM_UP_S = 20;
const POLL_MS = 500;
const ROW_LIMIT_MS = 900_000;
/** Panels about faults, and about wallets that the service signs for, are empty where there are none. */
const ABOUT_FAULTS = /rejected|failed|Errors|retries|not sent|to send/;

const only = new RegExp(process.env.FAULTS_ONLY ?? "");
const rows = ROWS.filter(({ fault }) => only.test(fault));
const report: string[] = [];

let cluster: Cluster;
let shop: Merchant;
let groups: Manifest[];
let panels: Panel[];
let stopLoad: () => Promise<void>;

beforeAll(async () => {
  ({ groups, panels } = await renderMonitoring());
  cluster = await startCluster();
  shop = await openShop(cluster.credentials);
  stopLoad = startLoad(shop);
}, ROW_LIMIT_MS);
afterAll(async () => {
  process.stdout.write(`\n${report.join("\n")}\n`);
  await stopLoad?.();
  await shop?.receiver.stop();
  await cluster?.stop();
}, ROW_LIMIT_MS);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Seconds until each alert fired. */
async function watch(row: Row, stage: Stage): Promise<Map<string, number>> {
  const fired = new Map<string, number>();
  const beganAt = performance.now();
  const passed = () => (performance.now() - beganAt) / 1_000;
  const latest = Math.max(0, ...Object.values(row.must));
  const isDone = () => Object.keys(row.must).every((alert) => fired.has(alert));
  const begun = row.begin(stage);
  let ended: Promise<unknown> | undefined;
  while (passed() < row.seconds || (passed() < latest && !isDone())) {
    for (const alert of await stage.prometheus.listFiring()) {
      if (!fired.has(alert)) fired.set(alert, Math.round(passed()));
    }
    await pause(POLL_MS);
    if (passed() >= row.seconds) ended ??= begun.then(() => row.end?.(stage));
  }
  await begun;
  await (ended ?? row.end?.(stage));
  return fired;
}

function judge({ must, may = [] }: Row, fired: ReadonlyMap<string, number>): string[] {
  const late = Object.entries(must).flatMap(([alert, withinS]) => {
    const at = fired.get(alert);
    return at !== undefined && at <= withinS ? [] : [`${alert} did not fire within ${withinS} s`];
  });
  const wrong = [...fired.keys()].filter((alert) => !(alert in must) && !may.includes(alert));
  return [...late, ...wrong.map((alert) => `${alert} must stay silent`)];
}

test.each(rows)(
  "$fault",
  async (row) => {
    const prometheus = await startPrometheus(groups, cluster.product);
    try {
      await pause(WARM_UP_S * 1_000);
      const fired = await watch(row, { cluster, shop, prometheus });
      const faults = judge(row, fired);
      const seen = [...fired].map(([alert, at]) => `${alert} after ${at} s`).join(", ") || "silent";
      report.push(`${faults.length === 0 ? "as it must" : "WRONG     "} | ${row.fault} | ${seen}`);
      expect(faults).toEqual([]);
      if (row.fault !== "none") return;
      const empty: string[] = [];
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          const query = expr
            .replaceAll("$namespace", "default")
            .replaceAll("$__rate_interval", "30s");
          if ((await prometheus.count(query)) === 0) empty.push(title);
        }
      }
      report.push(
        `dashboards: ${panels.length - empty.length} of ${panels.length} panels have series`,
      );
      expect(empty.filter((title) => !ABOUT_FAULTS.test(title))).toEqual([]);
    } finally {
      await prometheus.stop();
    }
  },
  ROW_LIMIT_MS,
);
