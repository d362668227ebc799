import { describe, expect, test } from "@jest/globals";
import { readColumnTypes } from "./column-types.ts";
import {
  findLine,
  hasOuterJoin,
  parseStatementFile,
  rewriteStatement,
  stripComments,
} from "./statement-file.ts";

const TABLES: Record<string, string[]> = { notes: ["id", "body", "steps"], owners: ["id"] };

function rewrite(text: string) {
  const file = parseStatementFile("example", `-- Explains itself.\n${text}`);
  return rewriteStatement(file, (table) => TABLES[table]);
}

describe("the header of a file", () => {
  test("gives the comment and the parameters", () => {
    const file = parseStatementFile(
      "addNotes",
      "-- Adds notes.\n-- @param {Json} $1:notes With their events.\n-- @param $2:until?\nselect 1\n-- no header\n",
    );
    expect(file).toMatchObject({
      name: "addNotes",
      comment: ["Adds notes."],
      parameters: [
        { number: 1, name: "notes", isNullable: false, comment: "With their events." },
        { number: 2, name: "until", isNullable: true, comment: "" },
      ],
    });
  });

  test("names a statement that is planned at each call", () => {
    const file = parseStatementFile(
      "one",
      "-- One.\n-- @unprepared\n-- @param $1:id\nselect $1::int",
    );
    expect(file).toMatchObject({ comment: ["One."], isPrepared: false });
    expect(parseStatementFile("one", "-- One.\nselect 1").isPrepared).toBe(true);
  });

  test("is refused without a comment, with a parameter that has no name, and under another kind of name", () => {
    expect(() => parseStatementFile("one", "select 1")).toThrow("begin with a comment");
    expect(() => parseStatementFile("one", "-- One.\n-- @param notes\nselect 1")).toThrow(
      "$1:name",
    );
    expect(() => parseStatementFile("add-notes", "-- One.\nselect 1")).toThrow("camelCase");
  });
});

describe("the text that runs", () => {
  test("reads an array for each column of a list and numbers the other parameters behind it", () => {
    const { text, lists } = rewrite(`-- @param $1:project
-- @param $2:notes
-- @param $3:until
with input as (
  select * from json_to_recordset($2) as input (id text, amount numeric(78, 0), body text /* null */)
) select '$2', "$3", $1::text, $3::int from input`);
    expect(text).toBe(
      `with input as (
  select * from unnest($2::text[], $3::numeric(78, 0)[], $4::text[]) as input (id, amount, body)
) select '$2', "$3", $1::text, $5::int from input`,
    );
    expect(lists.get(2)).toEqual([
      { name: "id", type: "text", isNullable: false },
      { name: "amount", type: "numeric(78, 0)", isNullable: false },
      { name: "body", type: "text", isNullable: true },
    ]);
  });

  test("has no comment, and no mark in the names of its result", () => {
    const { text } = rewrite(`-- @param $1:id
select id as "id!", /* not; this */ '--kept' as "text?" -- nor this
from notes where id = $1;
`);
    expect(text).toBe(`select id as "id",  '--kept' as "text"\nfrom notes where id = $1`);
  });

  test("names the columns of a table, and leaves those of a list", () => {
    const { text } = rewrite(`with input as (select 1 as id)
select note.* /* except steps, id */, input.* from notes note join input on input.id = note.id`);
    expect(text).toContain("select note.body, input.* from");
    expect(rewrite("delete from notes returning notes.*").text).toContain(
      "returning notes.id, notes.body, notes.steps",
    );
  });

  test.each(["select * from notes", "delete from notes returning *"])("refuses %p", (text) => {
    expect(() => rewrite(text)).toThrow("write name.*");
  });

  test("refuses a list that is used in another place or has an array as a column", () => {
    const list = "json_to_recordset($1) as input (id text)";
    expect(() => rewrite(`-- @param $1:ids\nselect json_array_length($1) from ${list}`)).toThrow(
      "in another place",
    );
    expect(() =>
      rewrite("-- @param $1:ids\nselect 1 from json_to_recordset($1) as input (ids text[])"),
    ).toThrow("ids of a list cannot be an array");
  });
});

test("strings that look like comments stay", () => {
  expect(stripComments("select '--a', '/* b */', 'it''s -- c'")).toBe(
    "select '--a', '/* b */', 'it''s -- c'",
  );
});

test("an outer join makes columns of the result nullable", () => {
  expect(hasOuterJoin("from a left outer join b on true")).toBe(true);
  expect(hasOuterJoin("from a join b on true")).toBe(false);
});

test("a position of the server leads to its line", () => {
  expect(findLine("a\nb\nc", 1)).toBe(1);
  expect(findLine("a\nb\nc", 5)).toBe(3);
});

test("a package names its narrower columns and its codecs in one file", () => {
  expect(
    readColumnTypes(`export interface ColumnTypes {
  "notes.status": Status;
  "notes.tx_hash": TxHash;
}
export const codecs = { tx_hash: hexBytes, payer: hexBytes };`),
  ).toEqual({
    narrowed: new Set(["notes.status", "notes.tx_hash"]),
    codecs: new Set(["tx_hash", "payer"]),
  });
  expect(readColumnTypes(undefined).narrowed.size).toBe(0);
});
