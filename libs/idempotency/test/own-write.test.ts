import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { findAnswer, idempotencyScope, idempotentRequest, writeOnce } from "../src/index.ts";

let keys = 0;
/** A request under a key that no request has used before. */
function aRequest(fingerprint = "body") {
  return {
    scope: "proj:1:POST /v1/things",
    key: `key-${++keys}`,
    fingerprint: Buffer.from(fingerprint),
  };
}

function bytes(text: string) {
  return async () => Buffer.from(text);
}

describeWithPostgres("a write that is made once per key", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase("libs/idempotency/test/sample");
    await database.pool.query("create table effects (name text not null)");
  });
  afterAll(() => database.drop());

  async function effects(name: string) {
    const { rowCount } = await database.pool.query("select from effects where name = $1", [name]);
    return rowCount;
  }

  test("the same request again gets the same bytes, and the work is done once", async () => {
    const request = aRequest();
    const first = Buffer.from([0, 1, 2, 255, 254]);
    async function work(answer: Buffer) {
      return writeOnce(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        return answer;
      });
    }

    expect(await work(first)).toEqual({ response: first, replayed: false });
    const again = await work(Buffer.from("another answer"));
    expect(again.replayed).toBe(true);
    expect(Buffer.from(again.response)).toEqual(first);
    expect(await effects(request.key)).toBe(1);
  });

  test("an empty answer is an answer", async () => {
    const request = aRequest();
    await writeOnce(database.pool, request, bytes(""));
    const again = await writeOnce(database.pool, request, bytes("other"));
    expect([again.replayed, again.response.length]).toEqual([true, 0]);
  });

  test("the same key with another body is refused, whatever the first answer was", async () => {
    const request = aRequest();
    await writeOnce(database.pool, request, bytes("1"));
    const other = { ...request, fingerprint: Buffer.from("other body") };
    const refused = { errorCode: "idempotency_key_reused" };
    await expect(writeOnce(database.pool, other, bytes("2"))).rejects.toMatchObject(refused);
    await expect(findAnswer(database.pool, other)).rejects.toMatchObject(refused);
  });

  test("a lasting refusal undoes the work and is the answer from then on", async () => {
    const request = aRequest();
    function refuse() {
      return writeOnce(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        throw new Failure("payment_expired", "Payment is expired");
      });
    }

    const refusal = { errorCode: "payment_expired", message: "Payment is expired" };
    await expect(refuse()).rejects.toMatchObject({ ...refusal, replayed: false });
    expect(await effects(request.key)).toBe(0);
    const again = { ...refusal, replayed: true };
    await expect(writeOnce(database.pool, request, bytes("1"))).rejects.toMatchObject(again);
    await expect(findAnswer(database.pool, request)).rejects.toMatchObject(again);
  });

  test("a refusal found by a broken statement is kept like any other", async () => {
    const request = aRequest();
    const refuse = writeOnce(database.pool, request, async (tx) => {
      await tx.query("insert into effects values (null)").catch((cause: unknown) => {
        throw new Failure("field_invalid", "name is required", { cause });
      });
      return Buffer.from("1");
    });
    await expect(refuse).rejects.toMatchObject({ errorCode: "field_invalid" });
    await expect(findAnswer(database.pool, request)).rejects.toMatchObject({
      errorCode: "field_invalid",
      message: "name is required",
    });
  });

  test("a fault of the moment is forgotten, and the next call is the first", async () => {
    for (const fault of [
      new Failure("service_unavailable", "gone"),
      new Failure("rate_limited", "slow down"),
      new Error("a bug"),
    ]) {
      const request = aRequest();
      const fail = writeOnce(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        throw fault;
      });
      await expect(fail).rejects.toBe(fault);
      expect(await effects(request.key)).toBe(0);
      const answer = await writeOnce(database.pool, request, bytes("1"));
      expect(answer.replayed).toBe(false);
    }
  });

  test("while the first call runs, a second one is refused at once and does nothing", async () => {
    const request = aRequest();
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = writeOnce(database.pool, request, async () => {
      begun.resolve();
      await mayEnd.promise;
      return Buffer.from("first");
    });
    await begun.promise;
    await expect(writeOnce(database.pool, request, bytes("second"))).rejects.toMatchObject({
      errorCode: "idempotency_in_progress",
      message: "A request with this Idempotency-Key is still running",
    });
    expect(await findAnswer(database.pool, request)).toBeUndefined();
    mayEnd.resolve();
    expect((await first).replayed).toBe(false);
    const after = await writeOnce(database.pool, request, bytes("third"));
    expect(Buffer.from(after.response).toString()).toBe("first");
  });

  test("other keys do not wait for a running one", async () => {
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const running = writeOnce(database.pool, aRequest(), async () => {
      begun.resolve();
      await mayEnd.promise;
      return Buffer.from("1");
    });
    await begun.promise;
    const other = await writeOnce(database.pool, aRequest(), bytes("2"));
    expect(other.replayed).toBe(false);
    mayEnd.resolve();
    await running;
  });

  test("one key is one per project, mode and route", () => {
    const scopes = [
      idempotencyScope({ projectId: "proj_a", mode: 1 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_b", mode: 1 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_a", mode: 2 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_a", mode: 1 }, "POST /v1/refunds"),
    ];
    expect(new Set(scopes).size).toBe(4);
  });

  test("a message without a key is not idempotent", () => {
    const tenant = { projectId: "proj_a", mode: 1 };
    const idempotency = { route: "POST /v1/things", key: "", fingerprint: Buffer.from("body") };
    expect(idempotentRequest(tenant, undefined)).toBeUndefined();
    expect(idempotentRequest(tenant, idempotency)).toBeUndefined();
    expect(idempotentRequest(tenant, { ...idempotency, key: "k" })).toMatchObject({ key: "k" });
  });
});
