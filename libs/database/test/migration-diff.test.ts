import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
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

  test("comes behind every migration there is, whatever their names say of the time", async () => {
    const migrations = join(folder, "prisma", "migrations");
    const [newest = ""] = (await readdir(migrations)).sort().reverse();
    const late = "29990101000000_of_a_fast_clock";
    await rename(join(migrations, newest), join(migrations, late));
    await appendFile(join(folder, "prisma", "schema.prisma"), MODEL);
    expect(await propose("one more")).toMatch(/written for review/);
    const names = (await readdir(migrations)).sort();
    expect(names.slice(-2)).toEqual([late, "29990101000100_one_more"]);
  });
});
