import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { arrayText, byteaArray } from "../src/statements/arrays.ts";

describeWithPostgres("a list as text", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
  });
  afterAll(() => db?.drop());

  async function read(type: string, values: Parameters<typeof arrayText>[0]): Promise<unknown> {
    const { rows } = await db.pool.query(`select $1::${type}[] as list`, [arrayText(values)]);
    return rows[0]?.list;
  }

  test("is read as the same texts, whatever characters they have", async () => {
    const texts = [
      "plain",
      "",
      " ",
      "null",
      "NULL",
      "Null",
      "a,b",
      "{a}",
      "}",
      '"',
      '\\"',
      "\\",
      "\\x00",
      "a b",
      "tab\t",
      "line\n",
      "é",
      "漢字",
      "🙂",
      "https://shop.example/hook?a=1&b=%20#c",
      "'",
    ];
    expect(await read("text", texts)).toEqual(texts);
    expect(await read("text", [])).toEqual([]);
  });

  test("is read as the same numbers, truth values, times and gaps", async () => {
    const now = new Date();
    expect(await read("int", [0, -1, 2_147_483_647, null, undefined])).toEqual([
      0,
      -1,
      2_147_483_647,
      null,
      null,
    ]);
    expect(await read("boolean", [true, false, null])).toEqual([true, false, null]);
    expect(await read("timestamptz", [now.toISOString()])).toEqual([now]);
  });

  test("of bytes is read as the same bytes, whatever they are", async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const part = new Uint8Array([7, 8, 9]).subarray(1);
    for (const list of [[], [Buffer.alloc(0)], [every, part, Buffer.alloc(100_000, 1)]]) {
      const { rows } = await db.pool.query("select $1::bytea[] as list", [byteaArray(list)]);
      expect(rows[0].list).toEqual(list.map((bytes) => Buffer.from(bytes)));
    }
  });
});
