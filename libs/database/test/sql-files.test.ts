// What is wrong with a `.sql` file is named by set-up, with the line and what the server says.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import pg from "pg";
import { readPackage } from "../../../tools/sql/read-package.ts";

describeWithPostgres("a file with a statement", () => {
  let db: TestDatabase;
  let folder: string;
  let client: pg.Client;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
    client = new pg.Client({ connectionString: db.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await db?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  async function read(files: Record<string, string>, columnTypes = "") {
    folder ??= await mkdtemp(join(tmpdir(), "pay-sql-files-"));
    const home = await mkdtemp(join(folder, "package-"));
    await mkdir(join(home, "migrations"));
    await mkdir(join(home, "sql"));
    await writeFile(join(home, "column-types.ts"), columnTypes);
    for (const [name, text] of Object.entries(files))
      await writeFile(join(home, "sql", name), text);
    const folders = {
      statements: join(home, "sql"),
      migrations: join(home, "migrations"),
      columnTypes: join(home, "column-types.ts"),
    };
    const { module, faults } = await readPackage(client, folders, "@pay/database");
    return {
      module,
      faults: faults.map(
        ({ path, line, message }) => `${relative(home, path)}:${line}: ${message}`,
      ),
    };
  }

  test.each([
    ["-- One.\nselect id\nfrom note", 'sql/one.sql:3: relation "note" does not exist'],
    ["-- One.\nselect id, nam\nfrom notes", 'sql/one.sql:2: column "nam" does not exist'],
    ["-- One.\nselect id fro notes where", "sql/one.sql:2: syntax error"],
    ["-- One.\nselect id from notes where id = $1", "sql/one.sql:1: name it: -- @param $1:name"],
    [
      "-- One.\n-- @param $1:id\n-- @param $2:name\nselect id from notes where id = $1",
      "sql/one.sql:1: $2 is named and not used",
    ],
    ["-- One.\nselect point(1, 2)", "sql/one.sql:1: nothing is known about the type point"],
    ["select id from notes", "sql/one.sql:1: begin with a comment"],
  ])("%j is refused with its line", async (text, fault) => {
    const { faults } = await read({ "one.sql": text });
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  test("all wrong files are named at once", async () => {
    const { faults } = await read({
      "one.sql": "-- One.\nselect a",
      "two.sql": "-- Two.\nselect b",
    });
    expect(faults).toHaveLength(2);
  });

  test("a narrower type of a column that does not exist is refused", async () => {
    const source = 'export interface ColumnTypes {\n  "notes.state": State;\n}';
    expect((await read({ "one.sql": "-- One.\nselect 1 as one" }, source)).faults).toEqual([
      "column-types.ts:1: there is no column notes.state",
    ]);
  });

  test("a column of the result is nullable unless its table or its name says otherwise", async () => {
    const { module } = await read({
      "one.sql": `-- One.
select note.id, count(*) as counted, now() as "at!", note.body as "body?" from notes note group by note.id`,
      "two.sql": '-- Two.\nselect n.id, o.id as "o!" from notes n left join owners o on true',
    });
    expect(module).toContain(
      "id: bigint;\n  counted: bigint | null;\n  at: Date;\n  body: string | null;",
    );
    expect(module).toContain("id: bigint | null;\n  o: string;");
  });
});
