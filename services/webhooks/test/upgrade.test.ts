// The tables of the version before become the partitions of one day, beside the running service of that version.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { findMigrationFiles, getConstraint, migrate, readMigrations } from "@pay/database";
import { createLog } from "@pay/process";
import {
  databaseBefore,
  describeWithPostgres,
  migrateTo,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import { followProjects } from "../src/storage/endpoints.ts";
import { insertEvents } from "../src/storage/events.ts";
import { claimDeliveries, findEndpoints } from "../src/storage/internal.ts";
import { findFirstSecret } from "../src/storage/secrets.ts";

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
    const files = findMigrationFiles(HOME);
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
      rooms: new Map([["we_1", 500]]),
      owner: 1,
      lookaheadMs: 0,
      since: new Date(0),
      now: () => 0,
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

describeWithPostgres("an upgrade to secrets of a project", () => {
  let db: TestDatabase;
  afterAll(() => db?.drop());

  // The statement of the version before.
  function createAsBefore(id: string) {
    return db.pool.query(
      `with made as (
         insert into endpoints (id, project_id, url) values ($1, $2, 'https://shop.example') returning id
       )
       insert into secrets (endpoint_id, seq, sealed) select id, 1, $3 from made`,
      [id, `proj_${id}`, Buffer.from(id)],
    );
  }

  async function openAll(ids: string[]) {
    const found = await findEndpoints(db.pool, ids);
    expect(found.map(({ id, sealed }) => [id, sealed.toString()]).sort()).toEqual(
      ids.map((id) => [id, id]),
    );
    for (const id of ids) {
      const tenant = { projectId: `proj_${id}`, mode: 1 };
      expect(String(await findFirstSecret(db.pool, tenant, id))).toBe(id);
      const stranger = { projectId: "proj_9", mode: 1 };
      expect(await findFirstSecret(db.pool, stranger, id)).toBeUndefined();
    }
  }

  test("keeps those of either version, and each belongs to an endpoint of its project", async () => {
    db = await databaseBefore(HOME, "20270213");
    await createAsBefore("we_1");
    await migrateTo(HOME, db.url, () => true);
    await createAsBefore("we_2");
    const follow = { projectId: "proj_we_3", mode: 1, url: "https://shop.example", version: 1 };
    await followProjects(db.pool, [{ ...follow, id: "we_3", sealed: Buffer.from("we_3") }]);
    await openAll(["we_1", "we_2", "we_3"]);

    await db.pool.query(
      "update _prisma_migrations set finished_at = finished_at - interval '7 days'",
    );
    await migrateTo(HOME, db.url, () => true);
    await openAll(["we_1", "we_2", "we_3"]);
    const foreign = db.pool.query(
      "insert into secrets (project_id, endpoint_id, seq, sealed) values ('proj_9', 'we_1', 2, '')",
    );
    expect(await foreign.then(() => "stored", getConstraint)).toBe(
      "secrets_project_id_endpoint_id_fkey",
    );
    await db.pool.query("delete from endpoints where id = 'we_1'");
    expect(await findEndpoints(db.pool, ["we_1"])).toEqual([]);
  });
});
