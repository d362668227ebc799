import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";

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
