import { expect, test } from "@jest/globals";
import { migrationDrift } from "@pay/database";
import { describeWithPostgres, expectNoDrift, testDatabase } from "@pay/testing";

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
