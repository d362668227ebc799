// The account of a run under faults: what was acknowledged is there, each row has its event, each event was delivered,
// and nothing else was.
import { until } from "@pay/testing";
import pg from "pg";
import {
  lostResources,
  publishedEvents,
  receivedEventIds,
  rowsLeft,
  unconfirmed,
} from "../cluster/evidence.ts";
import type { Acknowledged } from "../cluster/load.ts";
import type { Merchant } from "../harness/merchant.ts";
import type { Outside } from "../harness/outside.ts";

export interface Run extends Pick<Outside, "brokers" | "adminUrl"> {
  shop: Merchant;
  /** Before the first request. */
  since: Date;
  acknowledged: Acknowledged;
}

export interface Account {
  /** What is wrong, one line each; empty where all is well. */
  faults: string[];
  rows: number;
  events: number;
  /** From the last request until all of it was delivered. */
  drainedS: number;
}

const DRAINED_TIMEOUT_MS = 120_000;
/** Each with the event that every row of it has once. */
const TABLES = {
  payments: "payment.created",
  customers: "customer.created",
  refunds: "refund.created",
} as const;

export async function takeAccount(run: Run): Promise<Account> {
  const { shop, acknowledged, since } = run;
  const beganAt = performance.now();
  const unproven = await unconfirmed(shop, acknowledged);
  const waiting = await waitForOutboxes(run);
  const published = await publishedEvents(run, shop, since);
  function listUndelivered() {
    const received = receivedEventIds(shop);
    return [...published.keys()].filter((id) => !received.has(id));
  }

  await patiently(() => listUndelivered().length === 0);
  const drainedS = (performance.now() - beganAt) / 1_000;
  const rows = await countRows(run);
  const types = [...published.values()];
  const faults = [
    await lostResources(shop, acknowledged).then((paths) => paths.map((path) => `${path} is lost`)),
    unproven,
    Object.entries(waiting).map(([name, count]) => `${count} events wait in ${name}`),
    Object.entries(await rowsLeft(run, "dead_letters")).map(
      ([name, count]) => `${count} dead letters in ${name}`,
    ),
    rows
      .map(({ table, type, count }) => ({
        count,
        events: types.filter((one) => one === type).length,
        what: `rows of ${table} and events ${type}`,
      }))
      .filter(({ count, events }) => events !== count)
      .map(({ count, events, what }) => `${what} are ${count} and ${events}`),
    listUndelivered().map((id) => `${published.get(id)} ${id} was not delivered`),
    [...receivedEventIds(shop)]
      .filter((id) => !published.has(id))
      .map((id) => `${id} was delivered and is on no topic`),
  ].flat();
  return {
    faults,
    rows: rows.reduce((sum, { count }) => sum + count, 0),
    events: published.size,
    drainedS,
  };
}

/** What has not come in time is named by the account. */
async function patiently(check: () => boolean | Promise<boolean>): Promise<void> {
  await until(check, { timeoutMs: DRAINED_TIMEOUT_MS }).catch(() => {});
}

/** What is left in them. */
async function waitForOutboxes(run: Run): Promise<Record<string, number>> {
  let waiting: Record<string, number> = {};
  await patiently(async () => {
    waiting = await rowsLeft(run, "outbox");
    return Object.keys(waiting).length === 0;
  });
  return waiting;
}

function countRows({ adminUrl, shop }: Run) {
  const names = Object.keys(TABLES) as (keyof typeof TABLES)[];
  return Promise.all(
    names.map(async (table) => {
      const client = new pg.Client(adminUrl(table));
      await client.connect();
      try {
        const { rows } = await client.query(
          `select count(*)::int as n from ${table} where project_id = $1`,
          [shop.api.credentials.projectId],
        );
        return { table, type: TABLES[table], count: rows[0].n as number };
      } finally {
        await client.end();
      }
    }),
  );
}
