import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { findMigrationFiles, migrate } from "@pay/database";
import { createLog } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { pendingMigrations } from "../src/migrate.ts";

const SAMPLE = "libs/database/test/sample";
const NEXT = "20270101000000_next";
const INIT = "20260101000000_init";
const WRITE_NOTE = "insert into notes (owner_id, amount, body) values ('o', 1, 'x')";

describeWithPostgres("migrations", () => {
  let db: TestDatabase;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-migrations-"));
    await cp(join(SAMPLE, "prisma"), join(folder, "prisma"), { recursive: true });
    db = await testDatabase(SAMPLE);
  });
  afterEach(async () => {
    await db.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const lines: string[] = [];
  const log = createLog("test", "info", { write: (line: string) => void lines.push(line) });
  function run() {
    return migrate({ url: db.url, ...findMigrationFiles(folder), log });
  }

  async function write(name: string, script: string, parts?: string) {
    const path = join(folder, "prisma", "migrations", name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "migration.sql"), script);
    if (parts !== undefined) await writeFile(join(path, "parts.sql"), parts);
  }

  function pending() {
    return pendingMigrations(db.pool, findMigrationFiles(folder).migrationsPath);
  }

  async function tableExists(name: string) {
    return (await db.pool.query("select where to_regclass($1) is not null", [name])).rowCount === 1;
  }

  test("are applied once, however many runners start at once", async () => {
    await write(NEXT, "create table next (id int); insert into next values (1);");
    expect(await pending()).toEqual([NEXT]);
    const applied = await Promise.all([run(), run(), run(), run()]);
    expect(applied.flat()).toEqual([NEXT]);
    expect((await db.pool.query("select id from next")).rows).toEqual([{ id: 1 }]);
    expect(await pending()).toEqual([]);
    expect(await run()).toEqual([]);
  });

  test("say what they do", async () => {
    await write(NEXT, "create table next (id int);");
    lines.length = 0;
    await run();
    const said = lines.map((line) => JSON.parse(line));
    expect(said).toContainEqual(expect.objectContaining({ migration: NEXT }));
    expect(said.at(-1)).toMatchObject({ applied: 1, migrations: 3, msg: "database is up to date" });
    expect(lines.join("")).not.toContain(new URL(db.url).password);
  });

  test("that fail leave nothing behind, say why, and are run again when corrected", async () => {
    await write(NEXT, "create table next (id int); select 1/0; create table later (id int);");
    await expect(run()).rejects.toThrow(/20270101000000_next[\s\S]*division by zero/);
    expect(await tableExists("next")).toBe(false);
    await write(NEXT, "create table next (id int);");
    expect(await run()).toEqual([NEXT]);
    expect(await tableExists("next")).toBe(true);
  });

  test("that are interrupted leave nothing behind and are run again", async () => {
    await write(NEXT, "create table next (id int); select pg_sleep(20);");
    const interrupted = expect(run()).rejects.toThrow();
    const findRunner = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'create table next%'`;
    await until(async () => (await db.pool.query(findRunner)).rowCount === 1, {
      what: "the script",
    });
    await interrupted;
    expect(await tableExists("next")).toBe(false);
    await write(NEXT, "create table next (id int);");
    expect(await run()).toEqual([NEXT]);
  });

  test("that end are recorded with their effect, so that a crash after it repeats nothing", async () => {
    // The state a crash leaves right after the script: its effect and its end are there, nothing later is.
    await write(NEXT, "create table next (id int);");
    await run();
    await db.pool.query(
      "update _prisma_migrations set applied_steps_count = 0 where migration_name = $1",
      [NEXT],
    );
    expect(await run()).toEqual([]);
  });

  test("that were changed after they had been applied are refused by name", async () => {
    await write(INIT, "create table something_else (id int);");
    await expect(run()).rejects.toThrow(/were changed.*20260101000000_init/);
  });

  test("that take away what the version before needs wait a week, and no build waits for them", async () => {
    const [DROP, AFTER] = ["20270102000000_drop", "20270103000000_after"];
    await write(NEXT, "create table next (id int);");
    await write(DROP, "-- held for the version before\ndrop table next;");
    await write(AFTER, "create table after (id int);");
    expect(await run()).toEqual([NEXT, AFTER]);
    expect(await tableExists("next")).toBe(true);
    expect(await pending()).toEqual([]);
    const later = (days: number) =>
      db.pool.query(
        `update _prisma_migrations set finished_at = finished_at - ${days} * interval '1 day'`,
      );
    await later(6);
    expect(await run()).toEqual([]);
    await later(1);
    expect(await run()).toEqual([DROP]);
    expect(await tableExists("next")).toBe(false);
    expect(await run()).toEqual([]);
  });

  test("are applied all at once to a new database", async () => {
    await write(NEXT, "-- held for the version before\ncreate table next (id int);");
    await db.pool.query("drop schema public cascade; create schema public");
    expect(await run()).toContain(NEXT);
  });

  test("that a newer build has applied do not disturb an older one", async () => {
    await write(NEXT, "create table next (id int);");
    await run();
    await rm(join(folder, "prisma", "migrations", NEXT), { recursive: true });
    expect(await run()).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  test("that wait for a lock let writers pass, and get their turn", async () => {
    await db.pool.query("insert into owners (id, email) values ('o', 'o@example.com')");
    await write(NEXT, "alter table notes add column colour text;");
    const holder = await db.pool.connect();
    lines.length = 0;
    try {
      await holder.query("begin");
      await holder.query(WRITE_NOTE);
      const applied = run();
      await until(() => lines.filter((line) => line.includes("gives way")).length >= 2, {
        what: "tries",
      });
      // The holder still holds what the migration wants.
      await db.pool.query(WRITE_NOTE);
      await holder.query("commit");
      expect(await applied).toEqual([NEXT]);
    } finally {
      holder.release();
    }
    expect((await db.pool.query("select colour from notes")).rows).toHaveLength(2);
  });

  test("may run in parts, which an interrupted run begins again", async () => {
    const script = "alter table notes add column colour text; create table next (id int);";
    const first = "alter table notes add column if not exists colour text;\n-- next part\n";
    await write(NEXT, script, `${first}select 1/0;`);
    await expect(run()).rejects.toThrow(/20270101000000_next[\s\S]*division by zero/);
    await db.pool.query("select colour from notes");
    expect(await pending()).toEqual([NEXT]);
    await write(NEXT, script, `${first}select 1;`);
    expect(await run()).toEqual([NEXT]);
    expect(await tableExists("next")).toBe(true);
    // It is known by its script.
    await rm(join(folder, "prisma", "migrations", NEXT, "parts.sql"));
    expect(await run()).toEqual([]);
  });

  test("wait as the runner says, whatever an earlier script says", async () => {
    await write(
      NEXT,
      "set local lock_timeout = '30s';\nselect 1 / (current_setting('lock_timeout') = '200ms')::int;",
    );
    expect(await run()).toEqual([NEXT]);
  });

  test("may create an index without holding up writers", async () => {
    await write(NEXT, "create index concurrently notes_body on notes (body)");
    expect(await run()).toEqual([NEXT]);
    expect(await tableExists("notes_body")).toBe(true);
  });

  test("keep function bodies whole", async () => {
    await db.pool.query("insert into owners (id, email) values ('o', 'o@example.com')");
    await db.pool.query("insert into notes (owner_id, amount, body) values ('o', 1, '  x ')");
    expect((await db.pool.query("select body from notes")).rows).toEqual([{ body: "x" }]);
  });
});
