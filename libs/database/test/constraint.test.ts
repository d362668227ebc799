import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { getConstraint, getSqlState } from "@pay/database";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { PrismaClient } from "./sample/src/generated/prisma/client.ts";

async function catchError(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it was accepted");
}

describeWithPostgres("the name of a violated constraint", () => {
  let db: TestDatabase;
  let prisma: PrismaClient;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
    prisma = new PrismaClient({ adapter: db.database.adapter });
    await prisma.owner.create({ data: { id: "first", email: "a@example.com" } });
  });
  afterAll(() => db?.drop());

  function owner(id: string, email: string) {
    return `insert into owners (id, email) values ('${id}', '${email}')`;
  }

  function note(ownerId: string, amount: number) {
    return `insert into notes (owner_id, amount, body) values ('${ownerId}', ${amount}, '')`;
  }

  test.each([
    ["owners_pkey", "23505", owner("first", "b@example.com")],
    ["owners_email_key", "23505", owner("second", "a@example.com")],
    ["notes_owner_id_fkey", "23503", note("nobody", 1)],
    ["notes_amount_positive", "23514", note("first", -1)],
  ])("%s, whichever client sent the statement", async (name, state, statement) => {
    for (const work of [db.pool.query(statement), prisma.$executeRawUnsafe(statement)]) {
      const error = await catchError(work);
      expect([getConstraint(error), getSqlState(error)]).toEqual([name, state]);
    }
  });

  test("is in the errors of Prisma's own operations", async () => {
    const data = { id: "second", email: "a@example.com" };
    expect(getConstraint(await catchError(prisma.owner.create({ data })))).toBe("owners_email_key");
    const orphan = { owner_id: "nobody", amount: "1", body: "" };
    expect(getConstraint(await catchError(prisma.note.create({ data: orphan })))).toBe(
      "notes_owner_id_fkey",
    );
    const negative = { ...orphan, owner_id: "first", amount: "-1" };
    expect(getConstraint(await catchError(prisma.note.create({ data: negative })))).toBe(
      "notes_amount_positive",
    );
  });

  test("is absent where no constraint was violated", async () => {
    expect(getConstraint(await catchError(db.pool.query("select 1/0")))).toBeUndefined();
  });
});
