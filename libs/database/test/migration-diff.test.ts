import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";

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

  test("is what the schema says beyond the migrations, and nothing once that is written", async () => {
    const migrations = join(folder, "prisma", "migrations");
    await rm(join(migrations, "20260102000000_outbox"), { recursive: true });
    expect(await propose()).toMatch(/create table "outbox"/i);
    expect(await propose("the outbox")).toMatch(/written for review/);
    const name = (await readdir(migrations)).at(-1) ?? "";
    expect(name).toMatch(/^\d{14}_the_outbox$/);
    expect(await readFile(join(migrations, name, "migration.sql"), "utf8")).toMatch(/"outbox"/);
    expect(await propose()).toMatch(/nothing to propose/);
  });
});
