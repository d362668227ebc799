// The product on a real cluster, from helm install to helm uninstall, under load. KUBECONFIG names the cluster, any
// cluster works; docs/operations.md lists the other settings. Each test is a step that needs the steps before it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SERVICE_NAMES } from "@pay/standalone";
import { until } from "@pay/testing";
import { acknowledgedShare } from "../harness/creations.ts";
import { listDeliveries, liveThrough } from "../harness/lived-life.ts";
import { createPayment, type Merchant, openShop, RECIPIENT } from "../harness/merchant.ts";
import { type Outside, startOutside } from "../harness/outside.ts";
import { runStory } from "../story/story.ts";
import * as evidence from "./evidence.ts";
import { type Builds, buildAndLoad, removeImages } from "./images.ts";
import type { Kube } from "./kube.ts";
import { type Load, type PhaseReport, startLoad } from "./load.ts";
import { booksInPod, statementSums, withSigners } from "./money-out.ts";
import { EXPLAINED, NOT_YET, unknownCalls, watchExplanations } from "./new-rpc.ts";
import { besideFrozen, killProcess } from "./processes.ts";
import * as release from "./release.ts";
import { createReport } from "./report.ts";
import { COLUMN } from "./second-build.ts";
import { noncesSigned } from "./signing-server.ts";

const READY_SECONDS_MAX = 90;
const LONG_MS = 900_000;
/** Of the services that every request needs, from the upgrade to the rollback. */
const REPLICAS = { gateway: 3, payments: 3 };
/** Accounts of the development node whose wallets only the whole lives use; the next one of each is the treasury. */
const PAYS_ITSELF = 4;
const SIGNED = { byService: 6, byServer: 8 };
/** Two refunds and a settlement. */
const SENT_IN_A_LIFE = 3;
/** Few enough for a busy machine to answer them all. */
const FROZEN = { everyMs: 50, forMs: 10_000 };
const FROZEN_TRIES_MAX = 3;

const report = createReport();
let outside: Outside;
let builds: Builds;
let kube: Kube;
let shop: Merchant;
let load: Load | undefined;
let inForceAt: Date;
/** Those of the first build from then on. */
let values: release.Values;

beforeAll(async () => {
  builds = await buildAndLoad();
  outside = await startOutside();
  kube = await release.createNamespace(`pay-e2e-${Date.now().toString(36)}`);
}, LONG_MS);

afterAll(async () => {
  await load?.stop();
  await shop?.receiver.stop();
  await kube?.helm(["uninstall", release.RELEASE, "--ignore-not-found", "--wait"]).catch(() => "");
  if (kube !== undefined) await release.deleteNamespace(kube);
  await outside?.stop();
  if (builds !== undefined) await removeImages(builds);
  report.print();
}, LONG_MS);

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}

/** Runs a step under load. What the merchant saw during the step is a row of the table. */
async function underLoad(name: string, act: () => Promise<unknown>): Promise<PhaseReport> {
  load ??= await startLoad(shop);
  const phase = load.phase(name);
  report.load(phase);
  const startedAt = performance.now();
  await act();
  // Requests after the step can still see its last effects. They must not count as effects of the next step.
  phase.goodInARow = 0;
  await until(() => phase.goodInARow > 40, { timeoutMs: 60_000, what: "calm after the step" });
  report.note(name, seconds(startedAt));
  return phase;
}

const smooth: PhaseReport[] = [];

/** At most a 503 of a draining process, which one retry corrects. Checked again when all calls have ended. */
function expectSmooth(phase: PhaseReport): void {
  smooth.push(phase);
  expect(phase.failed).toEqual([]);
  expect(phase.seen.filter(({ kind }) => kind !== "503")).toEqual([]);
}

test(
  "helm install brings everything up from nothing",
  async () => {
    await release.createSecrets(kube, outside);
    const startedAt = performance.now();
    values = release.buildValues(outside, builds.repository, builds.first);
    await release.upgrade(kube, values, "--wait", "--wait-for-jobs");
    const took = seconds(startedAt);
    report.note("helm install until everything is ready", took);
    expect(Number.parseFloat(took)).toBeLessThan(READY_SECONDS_MAX);
  },
  LONG_MS,
);

test(
  "the first project is made by the documented command, and its payment is paid and reported by webhook",
  async () => {
    const credentials = await release.createProject(kube, outside);
    const headers = { "X-Forwarded-Proto": "https" };
    shop = await openShop(credentials, { host: outside.host, headers });
    inForceAt = new Date();
    const story = { ...credentials, developmentRpcUrl: outside.rpcUrl, timeoutMs: 60_000 };
    const result = await runStory(story);
    for (const type of ["payment.created", "payment.processing", "payment.confirmed"]) {
      await shop.waitForDelivery(type, result.paymentId);
    }
    report.note("story through the gateway's Service", `${result.status}, three signed webhooks`);
  },
  LONG_MS,
);

test(
  "a payment whose wallet submits nothing is confirmed",
  async () => {
    const payment = await createPayment(shop.api, { amount: "0.321", qrMode: true });
    const id = payment.id as string;
    const txHash = await shop.wallet.payNative(RECIPIENT, 321n * 10n ** 15n);
    expect(await shop.reaches(id, "confirmed")).toMatchObject({ txHash });
    await shop.waitForDelivery("payment.confirmed", id);
    report.note("QR payment without a submitted hash", "confirmed, with a signed webhook");
  },
  LONG_MS,
);

test(
  "an upgrade adds two signers, one with its key in a Secret and one with its key on a server",
  async () => {
    values = await withSigners(kube, shop, { values, signed: SIGNED });
    const startedAt = performance.now();
    await release.upgrade(kube, values, "--wait", "--wait-for-jobs");
    report.note("two signers added by an upgrade", seconds(startedAt));
    // A refund that an old pod makes belongs to its merchant.
    await release.waitReplaced(kube);
  },
  LONG_MS,
);

test.each([
  { who: "the merchant's wallet", account: PAYS_ITSELF, isServiceSigned: false },
  { who: "the service", account: SIGNED.byService, isServiceSigned: true },
  { who: "a server over mutual TLS", account: SIGNED.byServer, isServiceSigned: true },
])(
  "books and statement agree after a payment, two refunds and a settlement that $who sends",
  async ({ who, ...options }) => {
    const { secretKey } = shop.api.credentials;
    const life = { ...options, secretKey, mode: "live" } as const;
    const before = (await noncesSigned(kube)).size;
    const lived = await liveThrough(shop, life, booksInPod(kube));
    const { books, due, treasuryGain, wallet } = lived;
    expect(books.sums).toMatchObject({ ...due, foreign: [0n, 0n] });
    expect([treasuryGain]).toEqual(due.settled);
    expect(books.differences).toBe("no differences");
    const stated = await statementSums(outside, shop, wallet);
    expect([stated.payment, stated.refund, stated.settlement]).toEqual(
      [due.received, due.refunded, due.settled].flat(),
    );
    const deliveries = await listDeliveries(shop, lived);
    const isServers = options.account === SIGNED.byServer;
    const signed = (await noncesSigned(kube)).size - before;
    expect(signed).toBe(isServers ? SENT_IN_A_LIFE : 0);
    report.note(
      `whole life of money, sent by ${who}`,
      `books and statement agree, ${deliveries.length} signed webhooks`,
    );
  },
  LONG_MS,
);

test(
  "helm test runs the same story inside the cluster",
  async () => {
    const said = await kube.helm(["test", release.RELEASE, "--timeout", "3m"], {
      timeoutMs: 200_000,
    });
    expect(said).toMatch(/Phase:\s+Succeeded/);
    report.note("helm test", "Succeeded");
  },
  LONG_MS,
);

test(
  "a rolling restart of every deployment drops nothing",
  async () => {
    const phase = await underLoad("rolling restart of every deployment", async () => {
      for (const name of SERVICE_NAMES) {
        await kube.kubectl(["rollout", "restart", `deployment/${release.RELEASE}-${name}`]);
        const wait = [
          "rollout",
          "status",
          `deployment/${release.RELEASE}-${name}`,
          "--timeout=240s",
        ];
        await kube.kubectl(wait, { timeoutMs: 250_000 });
      }
    });
    expectSmooth(phase);
  },
  LONG_MS,
);

test(
  "an upgrade with a migration and a new rpc, to three replicas, drops nothing",
  async () => {
    expect(await evidence.listColumns(outside, "payments")).not.toContain(COLUMN);
    const { image } = release.buildValues(outside, builds.repository, builds.second);
    const next = {
      ...values,
      image,
      services: release.withReplicas(values.services, REPLICAS),
      podSecurity: { runAsUser: 10_001, shareProcessNamespace: true },
    };
    const explanations = await watchExplanations(shop);
    const phase = await underLoad("upgrade to a build with a migration and a new rpc", () =>
      release.upgrade(kube, next, "--wait", "--wait-for-jobs"),
    );
    const { seen } = explanations;
    await until(() => seen.has(EXPLAINED.since), { what: "an answer with the new rpc" });
    await explanations.stop();
    const kinds = [...seen].map(([kind, count]) => `${count} x ${kind}`);
    report.note("answers that need the new rpc, during the upgrade", kinds.join(", "));
    const unknown = await unknownCalls(kube);
    report.note("calls of the new rpc that an old pod did not know", `${unknown}`);
    expect(unknown).toBeGreaterThan(0);
    expect([...seen.keys()].sort()).toEqual([EXPLAINED.since, EXPLAINED.before, NOT_YET].sort());
    expect(await evidence.listColumns(outside, "payments")).toContain(COLUMN);
    expectSmooth(phase);
  },
  LONG_MS,
);

test(
  "beside one frozen replica of three, at least 90 % of creations are acknowledged in the first seconds",
  async () => {
    const shares: number[] = [];
    await underLoad("one of three replicas of payments frozen", async () => {
      // A busy machine keeps the other replicas from answering too, and then they count as frozen for a while.
      while (!shares.some((share) => share >= 0.9) && shares.length < FROZEN_TRIES_MAX) {
        shares.push(
          await besideFrozen(kube, "payments", () => acknowledgedShare(shop.api, FROZEN)),
        );
      }
    });
    const percents = shares.map((share) => `${(share * 100).toFixed(1)} %`);
    report.note("creations acknowledged in 10 s beside a frozen replica", percents.join(", "));
    expect(shares.at(-1)).toBeGreaterThanOrEqual(0.9);
  },
  LONG_MS,
);

test(
  "a SIGKILL of each service's process is survived",
  async () => {
    const phase = await underLoad("SIGKILL of each service", async () => {
      for (const name of SERVICE_NAMES) await killProcess(kube, name);
    });
    expect(phase.requests).toBeGreaterThan(0);
    await createPayment(shop.api);
  },
  LONG_MS,
);

test(
  "a rollback to the older build runs on the newer schema and drops nothing",
  async () => {
    const phase = await underLoad("rollback to the older build", () =>
      kube.helm(
        ["rollback", release.RELEASE, "2", "--wait", "--wait-for-jobs", "--timeout", "5m"],
        {
          timeoutMs: 310_000,
        },
      ),
    );
    expect(await evidence.listColumns(outside, "payments")).toContain(COLUMN);
    expectSmooth(phase);
  },
  LONG_MS,
);

test(
  "nothing acknowledged was lost, and every event reached the receiver",
  async () => {
    if (load === undefined) throw new Error("there was no load");
    await load.stop();
    for (const phase of [...smooth]) expectSmooth(phase);
    const { acknowledged } = load;
    expect(await evidence.lostResources(shop, acknowledged)).toEqual([]);
    for (const path of ["payments", "customers", "refunds"]) {
      const count = [...acknowledged.resources.keys()].filter((key) => key.includes(`/${path}/`));
      expect(count.length).toBeGreaterThan(0);
      report.note(`acknowledged ${path}, all of them there`, `${count.length}`);
    }
    expect(await evidence.unconfirmed(shop, acknowledged)).toEqual([]);
    report.note("acknowledged proofs of payment, all confirmed", `${acknowledged.proven.size}`);

    await until(async () => Object.keys(await evidence.rowsLeft(outside, "outbox")).length === 0, {
      timeoutMs: 120_000,
      what: "empty outboxes",
    });
    const published = await evidence.publishedEvents(outside, shop, inForceAt);
    function missing() {
      const received = evidence.receivedEventIds(shop);
      return [...published.keys()].filter((id) => !received.has(id));
    }

    await until(() => missing().length === 0, { timeoutMs: 120_000, what: "every event" }).catch(
      () => {},
    );
    expect(missing()).toEqual([]);
    expect(await evidence.rowsLeft(outside, "dead_letters")).toEqual({});
    report.note("events published, all of them received", `${published.size}`);
    const delivered = new Set(shop.receiver.all.map(({ body }) => JSON.parse(body.toString()).id));
    const ids = [...acknowledged.resources.keys()].map((path) => path.split("/").at(-1));
    expect(ids.filter((id) => !delivered.has(id))).toEqual([]);
  },
  LONG_MS,
);

test(
  "helm uninstall leaves nothing behind",
  async () => {
    await kube.helm(["uninstall", release.RELEASE, "--wait", "--timeout", "3m"], {
      timeoutMs: 200_000,
    });
    await until(async () => (await release.leftovers(kube)).length === 0, {
      timeoutMs: 60_000,
      what: "an empty namespace",
    }).catch(() => {});
    expect(await release.leftovers(kube)).toEqual([]);
    report.note("left behind after helm uninstall", "nothing");
  },
  LONG_MS,
);

test(
  "a wrong setting is reported by name, and a corrected setting takes effect without deleting anything",
  async () => {
    const wrongPassword = Object.assign(new URL(outside.databaseUrls.payments), { password: "no" });
    await kube.apply(release.databaseSecret("payments", wrongPassword.href));
    await kube.kubectl(["delete", "secret", "pay-refunds-db"]);
    const noBroker = { ...values, kafka: { ...values.kafka, brokers: [`${outside.host}:1`] } };
    await release.upgrade(kube, noBroker);
    const expected: [string, RegExp][] = [
      ["refunds", /REFUNDS_DATABASE_URL is required \(look at key url of Secret pay-refunds-db\)/],
      ["refunds-migrate", /REFUNDS_DATABASE_URL is required .*pay-refunds-db/],
      ["payments", /refuses the password: correct PAYMENTS_DATABASE_URL/],
      ["payments-migrate", /refuses the password: correct PAYMENTS_DATABASE_URL .*pay-payments-db/],
      ["customers", /Kafka cannot be used at .*:1 .*correct KAFKA_BROKERS/],
    ];
    for (const [component, line] of expected) {
      await until(async () => line.test(await release.firstLines(kube, component)), {
        timeoutMs: 90_000,
        what: `the reason in the log of ${component}`,
      });
    }
    const startedAt = performance.now();
    await release.createSecrets(kube, outside);
    await release.upgrade(kube, values);
    await release.waitReady(kube);
    report.note("three faults corrected: ready again after", seconds(startedAt));
    await kube.helm(["uninstall", release.RELEASE, "--wait", "--timeout", "3m"], {
      timeoutMs: 200_000,
    });
  },
  LONG_MS,
);
