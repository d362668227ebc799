import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift, testDatabase } from "@pay/testing";

const HOME = "services/payments";
/** A partition's name has its time, and between two databases a new one may begin: so the times are left out. */
const SCHEMA = `
  select distinct regexp_replace(line, '_[0-9]{8,12}', '_time', 'g') as line from (
  select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated, conislocal, coninhcount) as line
  from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'column', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull)
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = 'public'::regnamespace and attnum > 0
  union all
  select concat_ws(' ', 'function', oid::regprocedure, md5(prosrc)) from pg_proc where pronamespace = 'public'::regnamespace
  ) as lines order by line`;

test("the migrations yield what the schema says", () => expectNoDrift(HOME));

test("its keys begin with the project", () =>
  expectKeysOfProjects(HOME, {
    handoffs: "a code of one payment that lives for minutes; its reader knows the payment",
  }));

test("a migration in parts ends as its script does", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pay-scripts-"));
  let parts = 0;
  await cp(join(HOME, "prisma"), join(folder, "prisma"), {
    recursive: true,
    filter: (from) => {
      const isParts = basename(from) === "parts.sql";
      if (isParts) parts++;
      return !isParts;
    },
  });
  expect(parts).toBeGreaterThan(0);
  const [inParts, inScripts] = [await testDatabase(HOME), await testDatabase(folder)];
  try {
    const { rows } = await inScripts.pool.query(SCHEMA);
    expect(rows.length).toBeGreaterThan(100);
    expect((await inParts.pool.query(SCHEMA)).rows).toEqual(rows);
  } finally {
    await Promise.all([inParts.drop(), inScripts.drop(), rm(folder, { recursive: true })]);
  }
});
