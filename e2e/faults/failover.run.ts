// npm run drill -- failover: the primary of all databases is killed under load and its synchronous standby promoted. Is
// anything lost that was acknowledged, and how long was it until requests succeeded again?
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Postgres } from "@pay/embedded";
import { until } from "@pay/testing";
import { type Load, startLoad } from "../cluster/load.ts";
import { type Cluster, startCluster } from "../harness/distributed.ts";
import { type Forward, startForward } from "../harness/forward.ts";
import { isServing } from "../harness/is-serving.ts";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { newDataDir } from "../harness/standalone.ts";
import { promote, startStandby } from "../harness/standby.ts";
import { takeAccount } from "./account.ts";
import { figure } from "./figure.ts";

const RTO_MAX_S = 60;
/** Calls without a fault, after which the load has its usual pace again. */
const HEALED_CALLS = 100;
const LIMIT_MS = 600_000;
/** The operator's watch: so many probes in a row without an answer. */
const PROBE = { everyMs: 1_000, timeoutMs: 1_000, failuresMax: 3 };
/** Of the chart. */
const CONNECT_TIMEOUT_S = "3";

const folder = newDataDir();
let route: Forward;
let primaryPort = 0;
let cluster: Cluster;
let standby: Postgres;
let shop: Merchant;
let load: Load;
const since = new Date();

beforeAll(async () => {
  route = await startForward("127.0.0.1", () => primaryPort);
  cluster = await startCluster(
    {},
    {
      routeDatabase: (url) => {
        const routed = new URL(url);
        primaryPort = Number(routed.port);
        routed.port = `${route.port}`;
        routed.searchParams.set("connect_timeout", CONNECT_TIMEOUT_S);
        return routed.href;
      },
    },
  );
  standby = await startStandby(cluster, join(folder.path, "standby"));
  shop = await openShop(cluster.credentials);
  load = await startLoad(shop);
}, LIMIT_MS);
afterAll(async () => {
  await load?.stop();
  await shop?.receiver.stop();
  await cluster?.stop();
  await standby?.stop();
  await route?.stop();
  folder.remove();
}, LIMIT_MS);

/** Ends when the primary counts as dead. */
async function watchPrimary(): Promise<void> {
  const url = cluster.postgres.superuserUrl("postgres");
  for (let failures = 0; failures < PROBE.failuresMax; ) {
    failures = (await isServing(url, PROBE.timeoutMs)) ? 0 : failures + 1;
    await new Promise((resolve) => setTimeout(resolve, PROBE.everyMs));
  }
}

test(
  "a primary is killed and its standby promoted: nothing acknowledged is lost",
  async () => {
    await until(() => load.acknowledged.resources.size >= HEALED_CALLS, { what: "load" });
    const during = load.phase("failover");
    const killedAt = performance.now();
    await cluster.postgres.kill();
    await watchPrimary();
    await promote(standby);
    const promotedAt = performance.now();
    primaryPort = standby.port;
    await until(() => during.goodInARow > 0, { what: "a call that succeeds" });
    const healedAt = performance.now();
    await until(() => during.goodInARow >= HEALED_CALLS, { what: "calls that succeed" });
    await load.stop();

    const { faults } = await takeAccount({
      shop,
      since,
      acknowledged: load.acknowledged,
      brokers: cluster.kafka.brokers,
      adminUrl: (name) => standby.url(name),
    });
    const rtoMs = Math.max(healedAt - killedAt, ...during.seen.map(({ afterMs }) => afterMs));
    const rtoS = rtoMs / 1_000;
    figure("drill.failover_acknowledged", load.acknowledged.resources.size);
    figure("drill.failover_requests_failed", during.failed.length);
    figure("drill.failover_promoted_s", (promotedAt - killedAt) / 1_000);
    figure("drill.failover_rto_s", rtoS);
    figure("drill.failover_lost", faults.length);
    expect(faults).toEqual([]);
    expect(during.seen.length).toBeGreaterThan(0);
    expect(rtoS).toBeLessThanOrEqual(RTO_MAX_S);
  },
  LIMIT_MS,
);
