// Statements that set-up generates from the sample's `.sql` files: rows travel both ways without loss, and a wrong use
// does not compile.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AllWritten } from "@pay/database";
import {
  describeStatementPlans,
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import { arrayText, byteaArray } from "../src/statements/arrays.ts";
import type { NoteModel } from "./sample/src/generated/prisma/models/Note.ts";
import * as statements from "./sample/src/generated/sql.ts";
import {
  type AddNotesNotes,
  addNotes,
  type FindOwnersRow,
  findOwners,
  findPayloads,
  removeNotes,
} from "./sample/src/generated/sql.ts";

const CREATED_AT = new Date("2026-03-04T05:06:07.089Z");
const PAYLOAD = Buffer.from([0, 1, 255]);

describeWithPostgres("generated statements", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
    await db.pool.query("insert into owners values ('owner_1', 'a@b.c'), ('owner_2', 'd@e.f')");
  });
  afterAll(() => db?.drop());

  const note = {
    owner_id: "owner_1",
    amount: 10n ** 40n,
    body: 'quoted "text", with \\ and {}',
    details: null,
    event_id: "evt_1",
    payload: PAYLOAD,
  };

  test("lists keep digits, quotes, nulls, bytes and JSON", async () => {
    const notes = [
      note,
      { ...note, amount: 2n, body: null, details: ["a", { body: "b" }], payload: null },
      { ...note, owner_id: "owner_2", amount: 3n, body: null, details: { body: "from JSON" } },
      { ...note, owner_id: "owner_9" },
    ];
    const added = await addNotes(db.pool, { notes, createdAt: CREATED_AT });
    expect(
      added.map(({ owner_id, amount, amounts, body }) => ({ owner_id, amount, amounts, body })),
    ).toEqual(
      [note.amount, 3n, 2n].map((amount, index) => ({
        owner_id: index === 1 ? "owner_2" : "owner_1",
        amount,
        amounts: [note.amount, 3n, 2n],
        body: null,
      })),
    );
    const { rows } = await db.pool.query("select body, created_at from notes order by amount desc");
    expect(rows).toEqual([
      { body: note.body, created_at: CREATED_AT },
      { body: "from JSON", created_at: CREATED_AT },
      { body: "none at 2$", created_at: CREATED_AT },
    ]);
  });

  test("an empty list is no row", async () => {
    expect(await addNotes(db.pool, { notes: [], createdAt: CREATED_AT })).toEqual([]);
  });

  test("bytes are buffers, or what their codec makes of them", async () => {
    const found = await findPayloads(db.pool, { payloads: [PAYLOAD] });
    expect(found[0]).toMatchObject({ payload: PAYLOAD, key_bytes: "0x6f776e65725f31" });
  });

  test("values and arrays select rows, and null is a value where the file allows it", async () => {
    const owner: FindOwnersRow = { id: "owner_1", email: "a@b.c", notes: 2n };
    expect(await findOwners(db.pool, { ids: ["owner_1"], contained: null })).toEqual([owner]);
    const all = await findOwners(db.pool, { ids: ["owner_1"], contained: "@e" });
    expect(all.map(({ id }) => id)).toEqual(["owner_1", "owner_2"]);
  });

  test("a statement without a result counts the rows that it changed", async () => {
    const until = { createdUntil: CREATED_AT };
    expect(await removeNotes(db.pool, { ownerId: "owner_1", ...until })).toBe(2);
    expect(await removeNotes(db.pool, { ownerId: "owner_1", ...until })).toBe(0);
  });

  test("a statement is prepared under the name of its file", async () => {
    const client = await db.pool.connect();
    await findOwners(client, { ids: [], contained: null });
    const { rows } = await client.query("select name from pg_prepared_statements");
    client.release();
    expect(rows).toContainEqual({ name: "findOwners" });
  });

  test("what a statement does not take or give does not compile", () => {
    const { body: _, ...withoutBody } = note;
    const createdAt = CREATED_AT;
    const wrongUses = [
      // @ts-expect-error a column is missing
      () => addNotes(db.pool, { notes: [withoutBody], createdAt }),
      // @ts-expect-error a column is misspelled
      () => addNotes(db.pool, { notes: [{ ...withoutBody, bodi: "" }], createdAt }),
      // @ts-expect-error an amount is no number
      () => addNotes(db.pool, { notes: [{ ...note, amount: 1 }], createdAt }),
      // @ts-expect-error the column takes no null
      () => addNotes(db.pool, { notes: [{ ...note, owner_id: null }], createdAt }),
      // @ts-expect-error the list is missing
      () => addNotes(db.pool, { createdAt }),
      // @ts-expect-error an undefined value is no null
      () => findOwners(db.pool, { ids: [], contained: undefined }),
      // @ts-expect-error the input is missing
      () => findOwners(db.pool),
      // @ts-expect-error no statement writes the time
      () => true satisfies AllWritten<Exclude<keyof NoteModel, keyof AddNotesNotes | "id">>,
      async () => {
        const [added] = await addNotes(db.pool, { notes: [note], createdAt });
        // @ts-expect-error the column may be null
        return added?.amount + 1n;
      },
      async () => {
        const [owner] = await findOwners(db.pool, { ids: [], contained: null });
        // @ts-expect-error an id of an owner has its prefix
        return owner?.id === "note_1";
      },
    ];
    expect(wrongUses).toHaveLength(10);
  });
});

describeStatementPlans({
  folder: "libs/database/test/sample",
  statements,
  whole: {
    findOwners: "it also searches inside of addresses, for which there is no index",
    findPayloads: "no index has payloads",
    removeNotes: "the sample has no index on the owner of a note",
  },
});

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
