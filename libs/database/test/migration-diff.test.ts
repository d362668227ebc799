import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { migrationDrift } from "@pay/database";
import { describeWithPostgres, expectNoDrift, testDatabase } from "@pay/testing";

const MODEL = "\nmodel Drawer {\n  id String @id\n}\n";

describeWithPostgres("the proposal of a migration", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-proposal-"));
    await cp("libs/database/test/sample/prisma", join(folder, "prisma"), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function propose(...args: string[]) {
    return (
      await promisify(execFile)(process.execPath, ["tools/migration-diff.ts", folder, ...args])
    ).stdout;
  }

  test("is the difference to the schema under the next number, and nothing once it is written", async () => {
    const migrations = join(folder, "prisma", "migrations");
    await appendFile(join(folder, "prisma", "schema.prisma"), MODEL);
    expect(await propose()).toMatch(/create table "Drawer"/i);
    expect(await propose("add drawer")).toMatch(/written for review/);
    expect((await readdir(migrations)).sort()).toEqual(["0001_init", "0002_add_drawer"]);
    const script = await readFile(join(migrations, "0002_add_drawer", "migration.sql"), "utf8");
    expect(script).toMatch(/"Drawer"/);
    expect(await propose()).toMatch(/nothing to propose/);
  });
});

const SAMPLE = "libs/database/test/sample";

describeWithPostgres("migrations and schema", () => {
  test("applying all migrations yields the schema", () => expectNoDrift(SAMPLE));

  test("a schema that says more than the migrations is noticed", async () => {
    const { url, pool, drop } = await testDatabase(SAMPLE);
    await pool.query("alter table owners drop column email");
    expect(await migrationDrift(SAMPLE, url)).toMatch(/add column\s+"email" text not null/i);
    await drop();
  });

  test("migrations that made more than the schema says are noticed", async () => {
    const { url, pool, drop } = await testDatabase(SAMPLE);
    await pool.query("create table forgotten (id text primary key)");
    expect(await migrationDrift(SAMPLE, url)).toMatch(/drop table "forgotten"/i);
    await drop();
  });
});
