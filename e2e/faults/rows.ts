// Each fault with the alerts that it must fire, and within how many seconds; all others must stay silent. Rules run ten
// times as fast as in an installation, so 12 seconds here are 2 minutes there.

import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { freezeProcess, until } from "@pay/testing";
import type { Cluster } from "../harness/distributed.ts";
import type { Merchant } from "../harness/merchant.ts";
import { asSuperuser } from "../harness/superuser.ts";
import type { Prometheus } from "./prometheus.ts";

export interface Row {
  fault: string;
  /** How long the fault lasts. */
  seconds: number;
  begin(parts: Stage): Promise<unknown>;
  end?(parts: Stage): Promise<unknown>;
  /** Alerts by the seconds within which they fire. */
  must: Record<string, number>;
  /** Alerts that are as right as silence, depending on how the fault meets the load. */
  may?: string[];
}

export interface Stage {
  cluster: Cluster;
  shop: Merchant;
  prometheus: Prometheus;
}

/** The load fails without them, and a short outage is a large part of the minute that Prometheus has seen. */
const IN_PATH: readonly string[] = ["gateway", "payments", "customers"];
const SHORT_S = 5;
const LONG_S = 30;
/** PayOutboxWaits needs events that are a minute old, and PayConsumerSilent two minutes of silence. */
const KAFKA_S = 190;
const MISSING_WITHIN_S = 22;
const API = ["PayApiErrors", "PayCreateSlow", "PayReadSlow"];

async function kill({ cluster }: Stage, name: ServiceName): Promise<void> {
  await cluster.product.children.get(name)?.kill();
}

function getPid({ cluster }: Stage, name: ServiceName): number {
  return cluster.product.children.get(name)?.pid ?? Number.NaN;
}

/** Every process of the server. */
async function listServerPids({ cluster }: Stage): Promise<number[]> {
  const { rows } = await asSuperuser(
    cluster,
    "payments",
    `select pid, pg_read_file('postmaster.pid', 0, 20) as head from pg_stat_activity
     where pid <> pg_backend_pid()`,
  );
  return [Number.parseInt(rows[0]?.head, 10), ...rows.map(({ pid }) => pid as number)];
}

let frozen: number[] = [];

async function freezePostgres(stage: Stage): Promise<void> {
  frozen = await listServerPids(stage);
  for (const pid of frozen) await freezeProcess(pid);
}

function thaw(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGCONT");
    } catch {
      // A backend that has ended.
    }
  }
}

const kafkaRow = {
  seconds: KAFKA_S,
  must: { PayOutboxWaits: 130, PayConsumerSilent: 185 },
  may: ["PayConsumerBehind", "PayWebhooksLate"],
};

export const ROWS: Row[] = [
  { fault: "none", seconds: 60, begin: async () => {}, must: {} },
  ...SERVICE_NAMES.map(
    (name): Row => ({
      fault: `SIGKILL ${name}, started again after ${SHORT_S} s`,
      seconds: SHORT_S,
      begin: (stage) => kill(stage, name),
      end: ({ cluster }) => cluster.product.restart(name),
      must: {},
      may: IN_PATH.includes(name) ? API : [],
    }),
  ),
  ...SERVICE_NAMES.map(
    (name): Row => ({
      fault: `SIGSTOP ${name}`,
      seconds: LONG_S,
      begin: (stage) => freezeProcess(getPid(stage, name)),
      end: async (stage) => thaw([getPid(stage, name)]),
      must: {
        [`PayServiceMissing ${name}`]: MISSING_WITHIN_S,
        ...(name === "payments" && { PayApiErrors: 20 }),
      },
      may: IN_PATH.includes(name) ? API : ["PayWebhooksLate"],
    }),
  ),
  {
    fault: "SIGKILL payments, away for long",
    seconds: LONG_S,
    begin: (stage) => kill(stage, "payments"),
    end: ({ cluster }) => cluster.product.restart("payments"),
    must: { PayApiErrors: 15, "PayServiceMissing payments": MISSING_WITHIN_S },
    may: API,
  },
  {
    fault: "SIGKILL refunds four times",
    seconds: LONG_S,
    begin: async (stage) => {
      for (let times = 0; times < 4; times++) {
        await kill(stage, "refunds");
        await stage.cluster.product.restart("refunds");
        const changes = `changes(process_start_time_seconds{pod="refunds-1"}[3m]) > ${times}`;
        await until(async () => (await stage.prometheus.count(changes)) > 0, {
          what: "a restart that Prometheus has seen",
        });
      }
    },
    must: { "PayRestarts refunds": 60 },
  },
  {
    fault: "SIGKILL Kafka",
    begin: ({ cluster }) => cluster.kafka.kill(),
    end: ({ cluster }) => cluster.kafka.restart(),
    ...kafkaRow,
  },
  {
    fault: "SIGSTOP Kafka",
    begin: ({ cluster }) => cluster.kafka.freeze(),
    end: ({ cluster }) => cluster.kafka.thaw(),
    ...kafkaRow,
  },
  {
    fault: "SIGKILL Postgres",
    seconds: LONG_S,
    begin: ({ cluster }) => cluster.postgres.kill(),
    end: ({ cluster }) => cluster.postgres.restart(),
    must: { PayApiErrors: 15 },
    may: [...API, "PayPoolExhausted"],
  },
  {
    fault: "SIGSTOP Postgres",
    seconds: LONG_S,
    begin: freezePostgres,
    end: async () => thaw(frozen),
    must: { PayApiErrors: 20 },
    may: [...API, "PayPoolExhausted"],
  },
  {
    fault: "every receiver answers 500",
    seconds: 170,
    begin: async ({ shop }) => shop.receiver.respondWith(500),
    end: async ({ shop }) => shop.receiver.respondWith(200),
    must: { PayWebhooksFail: 165 },
  },
];
