import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { findMigrationFiles, migrate } from "@pay/database";
import { createLog } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { findPendingMigrations } from "../src/migrate.ts";

const SAMPLE = "libs/database/test/sample";
const NEXT = "0002_next";
const INIT = "0001_init";
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

  async function write(name: string, script: string) {
    const path = join(folder, "prisma", "migrations", name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "migration.sql"), script);
  }

  function pending() {
    return findPendingMigrations(db.pool, findMigrationFiles(folder).migrationsPath);
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
    expect(said.at(-1)).toMatchObject({ applied: 1, migrations: 2, msg: "database is up to date" });
    expect(lines.join("")).not.toContain(new URL(db.url).password);
  });

  test("that fail leave nothing behind, say why, and are run again when corrected", async () => {
    await write(NEXT, "create table next (id int); select 1/0; create table later (id int);");
    await expect(run()).rejects.toThrow(/0002_next[\s\S]*division by zero/);
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

  test("leave nothing behind when their record cannot be written", async () => {
    await db.pool.query(
      "alter table _prisma_migrations add constraint refused check (migration_name = '0001_init')",
    );
    await write(NEXT, "create table next (id int);");
    await expect(run()).rejects.toThrow(/0002_next[\s\S]*refused/);
    expect(await tableExists("next")).toBe(false);
  });

  test("that were changed after they had been applied are refused by name", async () => {
    await write(INIT, "create table something_else (id int);");
    await expect(run()).rejects.toThrow(/were changed.*0001_init/);
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

  test("run their parts again after an interruption", async () => {
    const first = "alter table notes add column if not exists colour text;\n-- next part\n";
    await write(NEXT, `${first}select 1/0;`);
    await expect(run()).rejects.toThrow(/0002_next[\s\S]*division by zero/);
    await db.pool.query("select colour from notes");
    expect(await pending()).toEqual([NEXT]);
    await write(NEXT, `${first}create table next (id int);`);
    expect(await run()).toEqual([NEXT]);
    expect(await tableExists("next")).toBe(true);
  });

  test("change rows in batches that commit, and create indexes concurrently", async () => {
    await db.pool.query("insert into owners (id, email) values ('o', 'o@example.com')");
    await db.pool.query(WRITE_NOTE);
    await write(
      NEXT,
      `do $$ begin update notes set body = 'y'; commit; end $$;
-- next part
drop index concurrently if exists notes_body;
-- next part
create index concurrently notes_body on notes (body);`,
    );
    expect(await run()).toEqual([NEXT]);
    expect((await db.pool.query("select body from notes")).rows).toEqual([{ body: "y" }]);
    expect(await tableExists("notes_body")).toBe(true);
    expect(await run()).toEqual([]);
  });

  test("keep function bodies whole", async () => {
    await db.pool.query("insert into owners (id, email) values ('o', 'o@example.com')");
    await db.pool.query("insert into notes (owner_id, amount, body) values ('o', 1, '  x ')");
    expect((await db.pool.query("select body from notes")).rows).toEqual([{ body: "x" }]);
  });
});
