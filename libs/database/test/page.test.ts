import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { COUNTED_MAX, condition, selectPage } from "@pay/database";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";

// Notes stand in for any list of an owner: five of "mine" share two instants, one belongs to another owner.
describeWithPostgres("a list in pages", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
    await db.pool.query("insert into owners (id, email) values ('mine', 'm'), ('other', 'o')");
    await db.pool.query(`insert into notes (id, owner_id, amount, body, created_at) values
      (1, 'mine', 1, 'x', '2026-01-01'), (2, 'mine', 1, 'y', '2026-01-01'),
      (3, 'mine', 1, 'x', '2026-01-02'), (4, 'mine', 1, 'x', '2026-01-02'),
      (5, 'mine', 1, 'x', '2026-01-02'), (6, 'other', 1, 'x', '2026-01-02')`);
  });
  afterAll(() => db?.drop());

  async function list(page: number, limit: number, after = "", body?: string) {
    const { rows, total, nextAfter } = await selectPage<{ id: string }>(db.pool, {
      table: "notes",
      scope: condition("owner_id = ?", "mine"),
      filter: condition("body = ?", body),
      columns: "id, created_at",
      page: { page, limit, after },
    });
    return { ids: rows.map(({ id }) => Number(id)), total, nextAfter };
  }

  test("comes newest first, ties in one order, and counts only its own items", async () => {
    expect(await list(1, 3)).toEqual({ ids: [5, 4, 3], total: 5, nextAfter: "3" });
    expect(await list(2, 3)).toEqual({ ids: [2, 1], total: 5, nextAfter: "" });
  });

  test("is empty past its end", async () => {
    expect(await list(9, 3)).toEqual({ ids: [], total: 5, nextAfter: "" });
    expect(await list(1_000_000_000, 100)).toEqual({ ids: [], total: 5, nextAfter: "" });
  });

  test("goes on after an item, also inside a tie, without gap or repetition", async () => {
    expect((await list(1, 2, "5")).ids).toEqual([4, 3]);
    expect((await list(1, 2, "3")).ids).toEqual([2, 1]);
    expect((await list(1, 2, "1")).ids).toEqual([]);
  });

  test("goes on after an item that was taken while newer ones arrive", async () => {
    const { ids: first } = await list(1, 2);
    await db.pool.query(
      "insert into notes (id, owner_id, amount, body, created_at) values (7, 'mine', 1, 'x', '2026-01-03')",
    );
    expect((await list(1, 2, String(first.at(-1)))).ids).toEqual([3, 2]);
    await db.pool.query("delete from notes where id = 7");
  });

  test("takes a condition, and an undefined one is none", async () => {
    expect(await list(1, 10, "", "y")).toEqual({ ids: [2], total: 1, nextAfter: "" });
    expect((await list(1, 10, "")).total).toBe(5);
    expect((await list(1, 10, "4", "x")).ids).toEqual([3, 1]);
  });

  test("counts no more items than its bound, unless a table has their number", async () => {
    await db.pool.query(
      `insert into notes (id, owner_id, amount, body, created_at)
       select 1000 + n, 'other', 1, 'x', now() from generate_series(1, $1::int) as n`,
      [COUNTED_MAX],
    );
    const query = {
      table: "notes",
      scope: condition("owner_id = ?", "other"),
      page: { page: 1, limit: 1, after: "" },
    };
    expect((await selectPage(db.pool, query)).total).toBe(COUNTED_MAX);
    await db.pool.query(
      "create table note_totals as select owner_id, count(*) as notes from notes group by owner_id",
    );
    const kept = { table: "note_totals", column: "notes" };
    expect((await selectPage(db.pool, { ...query, kept })).total).toBe(COUNTED_MAX + 1);
    const filter = condition("notes < ?", 10);
    expect((await selectPage(db.pool, { ...query, kept: { ...kept, filter } })).total).toBe(0);
  });

  test("does not go on after what is not in it", async () => {
    for (const foreign of ["6", "99"]) {
      await expect(list(1, 2, foreign)).rejects.toMatchObject({ errorCode: "cursor_unknown" });
    }
  });
});
