// The tables of the version before become the partitions of one day, beside the running service of that version.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, migrationFilesOf, readMigrations } from "@pay/database";
import { createLog } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { insertEvents } from "../src/storage/events.ts";
import { claimDeliveries } from "../src/storage/internal.ts";

const HOME = "services/webhooks";
const FIRST = "20261205000000_day_of_an_event";
const SWAP = "20261205000700_webhooks_by_day";

// The statements of the version before.
const STORE = `with stored as (
    insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at, position)
    select $1 || n, 'proj_1', 1, 'payment.confirmed', 'pay_' || n, 1, '{}', now(), $2::int + n from generate_series(1, 50) n
    on conflict do nothing returning id
  )
  insert into deliveries (event_id, endpoint_id, state, owner, next_attempt_at)
  select id, 'we_1', 'live', null, now() from stored on conflict do nothing`;
const FINISH = `with done as (
    update deliveries set state = 'delivered', attempts = 1, finished_at = now(), owner = null
    where event_id = $1 and state = 'live' returning id
  )
  insert into attempts (delivery_id, number, started_at, duration_ms, response, response_complete)
  select id, 1, now(), 1, '', true from done on conflict do nothing`;

describeWithPostgres("an upgrade", () => {
  let folder: string;
  let db: TestDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-upgrade-"));
    db = await testDatabase(HOME);
    await db.pool.query("drop schema public cascade; create schema public");
    await upgradeTo((name) => name < FIRST);
  });
  afterAll(async () => {
    await db?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function upgradeTo(isWanted: (name: string) => boolean) {
    const files = migrationFilesOf(HOME);
    for (const { name } of await readMigrations(files.migrationsPath)) {
      if (isWanted(name)) {
        await cp(join(files.migrationsPath, name), join(folder, name), { recursive: true });
      }
    }
    await cp(
      join(files.migrationsPath, "migration_lock.toml"),
      join(folder, "migration_lock.toml"),
    ).catch(() => {});
    await migrate({
      ...files,
      url: db.url,
      migrationsPath: folder,
      log: createLog("test", "silent"),
    });
  }

  async function states(): Promise<unknown[]> {
    const { rows } = await db.pool.query(
      `select state, count(*)::int as deliveries, count(attempts.number)::int as attempts
       from deliveries left join attempts on attempts.delivery_id = deliveries.id and attempts.day = deliveries.day
       group by state order by state`,
    );
    return rows;
  }

  test("keeps what was stored before, while and after, whichever version stores it", async () => {
    await db.pool.query(STORE, ["evt_a", 0]);
    await db.pool.query(FINISH, ["evt_a1"]);
    await upgradeTo((name) => name < SWAP);
    await db.pool.query(STORE, ["evt_b", 50]);
    await db.pool.query(FINISH, ["evt_b1"]);
    await upgradeTo(() => true);
    await db.pool.query(STORE, ["evt_a", 100]);
    await db.pool.query(STORE, ["evt_c", 100]);
    await db.pool.query(FINISH, ["evt_a2"]);
    await db.pool.query(FINISH, ["evt_c1"]);
    const { rows } = await db.pool.query("select count(*)::int as events from events");
    expect(rows).toEqual([{ events: 150 }]);
    expect(await states()).toEqual([
      { state: "delivered", deliveries: 4, attempts: 4 },
      { state: "live", deliveries: 146, attempts: 0 },
    ]);
    const claimed = await claimDeliveries(db.pool, {
      ...{ rooms: new Map([["we_1", 500]]), owner: 1, lookaheadMs: 0 },
      ...{ since: new Date(0), now: () => 0 },
    });
    expect(claimed).toHaveLength(146);
  });

  test("stores no event a second time", async () => {
    const { rows } = await db.pool.query("select * from events where id = 'evt_b3'");
    const {
      project_id: projectId,
      resource_id: resourceId,
      occurred_at: occurredAt,
      ...event
    } = rows[0];
    const again = [{ ...event, projectId, resourceId, occurredAt }];
    await insertEvents(db.pool, again, { owner: 1, full: [] });
    const after = await db.pool.query("select from events where id = 'evt_b3'");
    expect(after.rowCount).toBe(1);
  });
});
