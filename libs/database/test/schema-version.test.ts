import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { awaitSchema, findMigrationFiles, migrate, openDatabase } from "@pay/database";
import { createLog, createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";

const SAMPLE = "libs/database/test/sample";
const NEXT = "0002_next";

describeWithPostgres("a start before the database has its schema", () => {
  let own: TestDatabase;
  let next: string;
  const sample = resolve(SAMPLE);

  beforeAll(async () => {
    own = await testDatabase(SAMPLE);
    next = await mkdtemp(join(tmpdir(), "pay-next-"));
    await cp(join(SAMPLE, "prisma"), join(next, "prisma"), { recursive: true });
    await mkdir(join(next, "prisma", "migrations", NEXT));
    const script = join(next, "prisma", "migrations", NEXT, "migration.sql");
    await writeFile(script, "create table next (id int primary key);");
  });

  afterAll(async () => {
    await own.drop();
    await rm(next, { recursive: true, force: true });
  });

  function waiting(folder: string) {
    const runtime = createTestRuntime("shop");
    const { database: db } = own;
    const done = awaitSchema({
      db,
      runtime,
      home: pathToFileURL(folder),
      variable: "SHOP_DATABASE_URL",
    });
    return { runtime, done };
  }

  test("waits without being ready until the migrations are applied", async () => {
    const { runtime, done } = waiting(next);
    await until(async () => !(await runtime.readiness()).ready, {
      what: "a start that is not ready",
    });
    await migrate({ url: own.url, ...findMigrationFiles(next), log: createLog("test", "silent") });
    await done;
    expect((await runtime.readiness()).ready).toBe(true);
    await runtime.stop();
  });

  test("an older build starts on a newer schema", async () => {
    const { runtime, done } = waiting(sample);
    await done;
    await runtime.stop();
  });

  test("a stop ends the wait", async () => {
    await own.pool.query("delete from _prisma_migrations where migration_name = $1", [NEXT]);
    const { runtime, done } = waiting(next);
    const ended = expect(done).rejects.toThrow();
    await runtime.stop();
    await ended;
  });

  test.each([
    ["another password", (url: URL) => Object.assign(url, { password: "wrong" }), /password|user/],
    ["another database", (url: URL) => Object.assign(url, { pathname: "/nowhere" }), /not exist/],
    ["another port", (url: URL) => Object.assign(url, { port: "1" }), /cannot be reached.*ECONN/],
  ])("%s is reported with the setting to correct", async (_, change, reason) => {
    const runtime = createTestRuntime("shop");
    const db = openDatabase({ url: change(new URL(own.url)).href, poolMax: 1, runtime });
    const done = awaitSchema({
      db,
      runtime,
      home: pathToFileURL(sample),
      variable: "SHOP_DATABASE_URL",
      timeoutMs: 0,
      refusedTimeoutMs: 0,
    });
    await expect(done).rejects.toThrow(reason);
    await expect(done).rejects.toThrow(/correct SHOP_DATABASE_URL/);
    await runtime.stop();
  });
});
